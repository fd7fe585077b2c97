//! Prints tiles of sums, whose neighbouring elements belong to neighbouring lanes.

use super::super::c::{Machine, Operation, Printer};
use super::device::{Device, Tile};
use super::divided::after;
use super::mma;
use crate::compiler::loops::{Expr, Range, Stmt, Through, TileRows, Tiles};

/// Maximum number of rows of a tile with several rows.
const ROWS: usize = 4;

/// The sums of one tile.
struct Sums<'t> {
    rows: Option<&'t TileRows>,
    /// The number of sums per row in each lane.
    each: usize,
    is_full: bool,
}

impl Printer<'_, Device> {
    pub(super) fn tiles_of_threads(&mut self, tiles: &Tiles) {
        let division = self.machine.next.take();
        let Some(rows) = &tiles.rows else {
            return match division {
                // The workers have enough elements without several for each lane.
                Some(_) => self.tiles_of_workers(tiles),
                None => self.row_of_tiles(tiles, None),
            };
        };
        if let Some(product) = mma::product(tiles, self.element) {
            let worth = self.is_worth(product);
            if self.element.is_any() {
                return self.products_if_defined(product, &worth, |printer| printer.rows_of_tiles(tiles, rows));
            }
            return self.within(format!("if ({worth})"), |printer| {
                printer.products(product);
                printer.lines.turn("else");
                printer.rows_of_tiles(tiles, rows);
            });
        }
        self.rows_of_tiles(tiles, rows);
    }

    /// Prints the tiles of several rows.
    fn rows_of_tiles(&mut self, tiles: &Tiles, rows: &TileRows) {
        let (first, count) = (self.var(rows.var), self.var(rows.count));
        let (low, high) = self.bounds(true, &rows.lows, &rows.highs);
        let end = self.fresh(&format!("{first}_end"));
        let head = format!("for (size_t {first} = {low}, {end} = {high}; {first} < {end}; {first} += {ROWS})");
        self.within(head, |printer| {
            let left = format!("{end} - {first}");
            printer
                .lines
                .line(format!("const size_t {count} = {left} < {ROWS} ? {left} : {ROWS};"));
            printer.row_of_tiles(tiles, Some(rows));
        });
    }

    /// Prints tiles of one element per lane, which workers divide.
    fn tiles_of_workers(&mut self, tiles: &Tiles) {
        let (first, names) = (self.var(tiles.var), self.machine.names.clone());
        let (low, high) = self.bounds(true, &tiles.lows, &tiles.highs);
        let end = self.fresh(&format!("{first}_end"));
        let (lanes, worker, workers) = (names.lanes, names.worker, names.workers);
        let low = after(&low, &format!("{worker} * {lanes}"));
        let head =
            format!("for (size_t {first} = {low}, {end} = {high}; {first} < {end}; {first} += {workers} * {lanes})");
        self.within(head, |printer| printer.last_tile(tiles, &end, None));
    }

    /// Prints the tiles of some rows: first those of several elements per lane, then those of one.
    fn row_of_tiles(&mut self, tiles: &Tiles, rows: Option<&TileRows>) {
        let (first, lanes) = (self.var(tiles.var), self.machine.names.lanes.clone());
        let (low, high) = self.bounds(true, &tiles.lows, &tiles.highs);
        let end = self.fresh(&format!("{first}_end"));
        self.within("", |printer| {
            printer.lines.line(format!("size_t {first} = {low};"));
            printer.lines.line(format!("const size_t {end} = {high};"));
            // Additions to places that are looked up take registers of their own.
            let is_short = rows.is_some() || tiles.through.is_some();
            for &each in tiles.lengths.iter().filter(|_| !is_short) {
                let width = format!("{each} * {lanes}");
                let head = format!("for (; {first} < {end} && {end} - {first} >= {width}; {first} += {width})");
                printer.within(head, |printer| {
                    printer.sums_of_tile(
                        tiles,
                        &width,
                        &Sums {
                            rows: None,
                            each,
                            is_full: true,
                        },
                    );
                });
            }
            let head = format!("for (; {first} < {end}; {first} += {lanes})");
            printer.within(head, |printer| printer.last_tile(tiles, &end, rows));
        });
    }

    /// Prints a tile of one element per lane, or of fewer elements.
    fn last_tile(&mut self, tiles: &Tiles, end: &str, rows: Option<&TileRows>) {
        let (first, lanes) = (self.var(tiles.var), self.machine.names.lanes.clone());
        let width = format!("{end} - {first} < {lanes} ? {end} - {first} : {lanes}");
        self.sums_of_tile(
            tiles,
            &width,
            &Sums {
                rows,
                each: 1,
                is_full: false,
            },
        );
    }

    fn sums_of_tile(&mut self, tiles: &Tiles, width: &str, sums: &Sums<'_>) {
        let (kind, start) = (self.element.text, self.element.identity(tiles.reduction));
        let name = self.var(tiles.width);
        // Loops along a full tile do not compare with its width.
        let unused = if sums.is_full { "[[maybe_unused]] " } else { "" };
        self.lines.line(format!("{unused}const size_t {name} = {width};"));
        let count = sums.each * sums.rows.map_or(1, |_| ROWS);
        self.lines.line(format!("{kind} sums[{count}];"));
        let number = self.fresh("number");
        self.repeated(&number, count, |printer| {
            printer.lines.line(format!("sums[{number}] = {start};"));
        });
        self.machine.tile = Some(Tile {
            width: tiles.width,
            rows: sums.rows.map(|rows| rows.count),
            each: sums.each,
            is_full: sums.is_full,
            steps: Vec::new(),
        });
        self.block(&tiles.body);
        let row = self.fresh("row");
        match sums.rows {
            None => self.flush(tiles, sums, None),
            Some(rows) => self.repeated(&row, ROWS, |printer| {
                let (count, stride) = (printer.var(rows.count), printer.operand_or_number(&rows.stride));
                printer.within(format!("if ({row} < {count})"), |printer| {
                    printer.flush(tiles, sums, Some((&row, &stride)));
                });
            }),
        }
        self.machine.tile = None;
    }

    /// Prints a loop of a constant number of iterations.
    fn repeated(&mut self, name: &str, count: usize, body: impl FnOnce(&mut Self)) {
        self.lines.line("#pragma unroll");
        self.within(format!("for (unsigned {name} = 0; {name} < {count}; {name}++)"), body);
    }

    /// Moves the sums of one row to their elements.
    fn flush(&mut self, tiles: &Tiles, sums: &Sums<'_>, row: Option<(&str, &str)>) {
        let at = self.operand_or_number(&tiles.at);
        let (width, step) = (self.var(tiles.width), self.fresh("step"));
        self.of_lane(sums.each, &step, |printer, number| {
            let (sum, place) = match row {
                Some((row, stride)) => (
                    format!("sums[{row} * {} + {number}]", sums.each),
                    format!("{at} + {row} * ({stride}) + {step}"),
                ),
                None => (format!("sums[{number}]"), format!("{at} + {step}")),
            };
            let head = (!sums.is_full).then(|| format!("if ({step} < {width})"));
            printer.guarded(head, |printer| {
                // The loops cover the whole output, so that it begins at coordinate zero.
                let through = tiles.through.as_ref().map(|Through { level, .. }| {
                    let indices = printer.tensors[level.tensor].indices(level.level, &place);
                    printer.bind("size_t", "place", &Device::read(indices))
                });
                let place = printer.element(tiles.array, through.as_ref().unwrap_or(&place));
                if tiles.store {
                    printer.lines.line(format!("{place} = {sum};"));
                } else {
                    let found = through.map_or_else(|| printer.looked_up(&tiles.at), |found| vec![found]);
                    printer.add_to_output(&place, &found, tiles.reduction, &Operation::atom(sum));
                }
            });
        });
    }

    /// Prints what each lane does for its elements of a tile: `step` is the number of an element in the tile, and `body`
    /// gets its number in the lane.
    fn of_lane(&mut self, each: usize, step: &str, body: impl FnOnce(&mut Self, &str)) {
        let number = self.fresh("number");
        let uniform = std::mem::replace(&mut self.machine.is_uniform, false);
        self.repeated(&number, each, |printer| {
            let (lanes, lane) = (&printer.machine.names.lanes, &printer.machine.names.lane);
            let line = format!("const size_t {step} = {number} * {lanes} + {lane};");
            printer.lines.line(line);
            body(printer, &number);
        });
        self.machine.is_uniform = uniform;
    }

    /// Prints statements, inside a condition if there is one.
    pub(super) fn guarded(&mut self, head: Option<String>, body: impl FnOnce(&mut Self)) {
        match head {
            Some(head) => self.within(head, body),
            None => body(self),
        }
    }

    /// Whether a loop goes over the elements, or over the rows, of the current tile.
    pub(super) fn is_along_tile(&self, range: &Range) -> bool {
        let Some(tile) = &self.machine.tile else { return false };
        let ends_at = |var| range.highs.contains(&Expr::Var(var));
        ends_at(tile.width) || tile.rows.is_some_and(ends_at)
    }

    pub(super) fn along_tile(&mut self, range: &Range) {
        let tile = self.machine.tile.as_ref().expect("a loop along a tile is inside it");
        let (width, each, is_full) = (tile.width, tile.each, tile.is_full);
        let step = self.var(range.var);
        let is_row = !range.highs.contains(&Expr::Var(width));
        let ends: Vec<Expr> = range
            .highs
            .iter()
            .filter(|high| !is_full || **high != Expr::Var(width))
            .cloned()
            .collect();
        let conditions = self.inside(&step, &range.lows, &ends);
        let head = (!conditions.is_empty()).then(|| format!("if ({})", conditions.join(" && ")));
        let body = |printer: &mut Self| printer.guarded(head, |printer| printer.block(&range.body));
        if is_row {
            return self.repeated(&step, ROWS, body);
        }
        self.of_lane(each, &step, |printer, number| {
            if let Some(tile) = &mut printer.machine.tile {
                tile.steps.push((range.var, number.to_owned()));
            }
            body(printer);
        });
    }
}

/// Whether a tile is inside.
pub(super) fn has_tiles(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Tiles(_)) || stmt.body().iter().any(has_tiles)
}
