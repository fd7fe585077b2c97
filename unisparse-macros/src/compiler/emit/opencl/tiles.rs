//! Prints tiles of sums, which a work item holds in a private array.

use super::Printer;
use super::arguments::ArgumentKind;
use crate::compiler::loops::{Through, Tiles};

/// Maximum number of sums of a tile.
const SUMS: usize = 16;

/// Maximum number of rows of a tile with several rows.
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

    /// Prints the tiles of some rows, in order. `rows` contains the number of rows and the stride between them.
    fn row_of_tiles(&mut self, tiles: &Tiles, most: usize, rows: Option<(&str, &str)>) -> Result<(), String> {
        let first = self.var(tiles.var);
        let (low, high) = self.bounds(tiles.var, &tiles.lows, &tiles.highs);
        let head = self.loop_head(&first, (&low, &high), &most.to_string());
        self.lines.open(head);
        self.tile(tiles, &format!("unisparse_lesser({most}, {high} - {first})"), rows)?;
        self.lines.close();
        Ok(())
    }

    /// Prints one tile.
    pub(super) fn tile(&mut self, tiles: &Tiles, width: &str, rows: Option<(&str, &str)>) -> Result<(), String> {
        let (name, lane) = (self.var(tiles.width), self.fresh("lane"));
        self.declare(&name, width);
        let sums = match rows {
            Some((rows, _)) => format!("{rows} * {name}"),
            None => name.clone(),
        };
        // The array has the length of the longest tile; a work item with a single element has a single sum.
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
        // The loop covers the whole output, so that it begins at coordinate zero.
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
