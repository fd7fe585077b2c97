//! Tiles of sums, which a work item holds in an array of its own.

use super::Printer;
use super::arguments::ArgumentKind;
use crate::compiler::loops::{Through, Tiles};

/// The most sums of a tile.
const SUMS: usize = 16;

/// The most rows of a tile that has several.
const ROWS: usize = 4;

impl Printer<'_> {
    pub(super) fn tiles(&mut self, tiles: &Tiles) -> Result<(), String> {
        let Some(rows) = &tiles.rows else {
            return self.row_of_tiles(tiles, SUMS, None);
        };
        let (first, count, stride) = (self.var(rows.var), self.var(rows.count), self.operand(&rows.stride));
        let (low, high) = self.bounds(rows.var, &rows.lows, &rows.highs);
        let head = self.loop_head(&first, (&low, &high), &ROWS.to_string());
        self.lines.open(head);
        self.declare(&count, &format!("unisparse_lesser({ROWS}, {high} - {first})"));
        self.row_of_tiles(tiles, SUMS / ROWS, Some((&count, &stride)))?;
        self.lines.close();
        Ok(())
    }

    /// The tiles of some rows, one after another. `rows` is how many rows there are, and the stride from one to the next.
    fn row_of_tiles(&mut self, tiles: &Tiles, most: usize, rows: Option<(&str, &str)>) -> Result<(), String> {
        let first = self.var(tiles.var);
        let (low, high) = self.bounds(tiles.var, &tiles.lows, &tiles.highs);
        let head = self.loop_head(&first, (&low, &high), &most.to_string());
        self.lines.open(head);
        self.tile(tiles, &format!("unisparse_lesser({most}, {high} - {first})"), rows)?;
        self.lines.close();
        Ok(())
    }

    /// One tile.
    pub(super) fn tile(&mut self, tiles: &Tiles, width: &str, rows: Option<(&str, &str)>) -> Result<(), String> {
        let (name, lane) = (self.var(tiles.width), self.fresh("lane"));
        self.declare(&name, width);
        let sums = match rows {
            Some((rows, _)) => format!("{rows} * {name}"),
            None => name.clone(),
        };
        // An array as long as the longest tile; a work item with a single element has a single sum.
        let most = if width == "1" { 1 } else { SUMS };
        self.lines.line(format!("ELEMENT sums[{most}];"));
        let each = format!("for (long {lane} = 0; {lane} < {sums}; {lane}++)");
        self.lines.open(&each);
        self.lines.line(format!("sums[{lane}] = 0;"));
        self.lines.close();
        self.block(&tiles.body)?;
        let at = self.integer(&tiles.at);
        let number = match rows {
            Some((_, stride)) => format!("{at} + {lane} / {name} * {stride} + {lane} % {name}"),
            None => format!("{at} + {lane}"),
        };
        // The loop is over all of the output, so that it begins at coordinate zero.
        let number = match &tiles.through {
            Some(Through { level, .. }) => format!("{}[{number}]", self.argument(ArgumentKind::Indices(*level))),
            None => number,
        };
        let (place, sum) = (self.element(tiles.array, &number), format!("sums[{lane}]"));
        self.lines.open(&each);
        if tiles.store {
            self.lines.line(format!("{place} = {sum};"));
        } else {
            self.add(&place, tiles.reduction, &sum)?;
        }
        self.lines.close();
        Ok(())
    }
}
