//! Prints sums: of many terms, and of neighbouring elements.

use super::super::c::{Operation, Printer};
use super::pragmas::Hardware;
use crate::compiler::loops::{Destination, Reduction, Stmt, Through, TileRows, Tiles};

/// The number of independent sums of many terms, as in Rust. An addition has as many cycles before its sum is read again.
const SUMS: usize = 8;
/// The greatest number of rows in a tile with several rows, and the greatest width of such a tile.
const ROWS: usize = 4;
const WIDTH: usize = 8;

impl Printer<'_, Hardware> {
    /// Prints a sum over one loop in the order of the processor: of eight terms or more, whole fours in eight independent sums, one for
    /// each of eight terms in turn; the terms that are left one after another, to the total of these sums.
    pub(super) fn independent_sums(&mut self, body: &[Stmt], reduction: Reduction, into: &Destination) {
        let (kind, start) = (self.element.text, self.element.identity(reduction));
        self.lines.line(format!("{kind} sum = {start};"));
        let (last, binds) = body.split_last().expect("a sum has a loop");
        self.block(binds);
        let (low, high) = match last {
            Stmt::Entries(entries) => self.segment(entries.first(), &entries.within),
            Stmt::Range(range) => self.bounds(true, &range.lows, &range.highs),
            _ => unreachable!("a sum of one loop is divided"),
        };
        let (name, of) = self.loop_of(last);
        let [end, whole, at, lane] =
            ["end", "whole", "first", "lane"].map(|suffix| self.fresh(&format!("{name}_{suffix}")));
        self.lines.line(format!("size_t {name} = {low};"));
        self.lines.line(format!("const size_t {end} = {high};"));
        self.within(format!("if ({name} < {end} && {end} - {name} >= {SUMS})"), |printer| {
            printer.sums(SUMS, start);
            printer.lines.line(format!("const size_t {at} = {name};"));
            printer.lines.line(format!(
                "const size_t {whole} = {end} - ({end} - {name}) % {};",
                SUMS / 2
            ));
            printer.lines.line(format!("UNISPARSE_CLAIM(sums, {SUMS});"));
            printer.within(format!("for (; {name} < {whole}; {name}++)"), |printer| {
                printer.trips(&name, of, 1);
                printer.lines.line("#pragma HLS PIPELINE II=1");
                printer.lines.line(format!(
                    "#pragma HLS DEPENDENCE variable=sums type=inter direction=RAW distance={SUMS} dependent=true"
                ));
                printer
                    .lines
                    .line(format!("const size_t {lane} = ({name} - {at}) % {SUMS};"));
                printer.lines.line(format!("UNISPARSE_TOUCH(sums, {lane});"));
                printer.term(last, reduction, &format!("sums[{lane}]"));
            });
            for distance in [4, 2, 1] {
                for number in 0..distance {
                    let other = Operation::atom(format!("sums[{}]", number + distance));
                    printer.reduce(&format!("sums[{number}]"), reduction, &other);
                }
            }
            printer.lines.line("sum = sums[0];");
        });
        self.within(format!("for (; {name} < {end}; {name}++)"), |printer| {
            printer
                .lines
                .line(format!("#pragma HLS LOOP_TRIPCOUNT min=0 max={}", SUMS - 1));
            printer.lines.line("#pragma HLS PIPELINE");
            printer.term(last, reduction, "sum");
        });
        self.move_sum(reduction, into);
    }

    /// Prints the addition of one term of a loop to a sum.
    fn term(&mut self, last: &Stmt, reduction: Reduction, sum: &str) {
        if let Stmt::Entries(entries) = last {
            self.read_entry(entries);
        }
        let (leaf, lookups) = last.body().split_last().expect("a sum has terms");
        self.block(lookups);
        if let Stmt::Accumulate { value, .. } = leaf {
            let value = self.value(value);
            self.reduce(sum, reduction, &value);
        }
    }

    /// Prints an array of sums, which are registers.
    fn sums(&mut self, count: usize, start: &str) {
        let (kind, lane) = (self.element.text, self.fresh("lane"));
        self.lines.line(format!("{kind} sums[{count}];"));
        self.lines
            .line("#pragma HLS ARRAY_PARTITION variable=sums type=complete");
        self.at_once(&lane, count, |printer| {
            printer.lines.line(format!("sums[{lane}] = {start};"));
        });
    }

    /// Prints a loop of constant length, all iterations of which are computed at once.
    fn at_once(&mut self, name: &str, count: usize, body: impl FnOnce(&mut Self)) {
        let bits = usize::BITS - count.leading_zeros();
        let head = format!("for (ap_uint<{bits}> {name} = 0; {name} < {count}; {name}++)");
        self.within(head, |printer| {
            printer.lines.line("#pragma HLS UNROLL");
            body(printer);
        });
    }

    /// Prints sums of neighbouring elements, by tiles.
    pub(super) fn tiles_of_hardware(&mut self, tiles: &Tiles) {
        let Some(rows) = &tiles.rows else {
            return self.row_of_tiles(tiles);
        };
        let (row, count) = (self.var(rows.var), self.var(rows.count));
        let (low, high) = self.bounds(true, &rows.lows, &rows.highs);
        let end = self.fresh(&format!("{row}_end"));
        let head = format!("for (size_t {row} = {low}, {end} = {high}; {row} < {end}; {row} += {ROWS})");
        self.within(head, |printer| {
            let left = format!("{end} - {row}");
            printer
                .lines
                .line(format!("const size_t {count} = {left} < {ROWS} ? {left} : {ROWS};"));
            let (first, width) = (printer.var(tiles.var), printer.var(tiles.width));
            let (low, high) = printer.bounds(true, &tiles.lows, &tiles.highs);
            let end = printer.fresh(&format!("{first}_end"));
            let head = format!("for (size_t {first} = {low}, {end} = {high}; {first} < {end}; {first} += {WIDTH})");
            printer.within(head, |printer| {
                let left = format!("{end} - {first}");
                printer
                    .lines
                    .line(format!("const size_t {width} = {left} < {WIDTH} ? {left} : {WIDTH};"));
                printer.sums_of_tile(tiles, Some(rows), ROWS * WIDTH);
            });
        });
    }

    /// Prints the tiles of one row: first those of full length, whose elements are computed at once, then the others.
    fn row_of_tiles(&mut self, tiles: &Tiles) {
        let (first, width) = (self.var(tiles.var), self.var(tiles.width));
        let (low, high) = self.bounds(true, &tiles.lows, &tiles.highs);
        let end = self.fresh(&format!("{first}_end"));
        let of = self.trips_of(&tiles.lows, &tiles.highs);
        let longest = tiles.lengths.first().copied().unwrap_or(WIDTH);
        self.within("", |printer| {
            printer.lines.line(format!("size_t {first} = {low};"));
            printer.lines.line(format!("const size_t {end} = {high};"));
            let head = format!("for (; {first} < {end} && {end} - {first} >= {longest}; {first} += {longest})");
            printer.within(head, |printer| {
                printer.trips(&first, of, longest);
                let inside = printer.lines.beside();
                let outside = std::mem::replace(&mut printer.lines, inside);
                printer.machine.tile = Some((tiles.width, longest));
                printer.sums_of_tile(tiles, None, longest);
                printer.machine.tile = None;
                let inside = std::mem::replace(&mut printer.lines, outside);
                if inside.mention(&width) {
                    printer.lines.line(format!("const size_t {width} = {longest};"));
                }
                printer.lines.append(&inside);
            });
            printer.within(format!("if ({first} < {end})"), |printer| {
                printer.lines.line(format!("const size_t {width} = {end} - {first};"));
                printer.sums_of_tile(tiles, None, longest);
            });
        });
    }

    /// Prints one tile of at most `most` sums.
    fn sums_of_tile(&mut self, tiles: &Tiles, rows: Option<&TileRows>, most: usize) {
        let start = self.element.identity(tiles.reduction);
        self.sums(most, start);
        self.block(&tiles.body);
        let (width, lane) = (self.var(tiles.width), self.fresh("lane"));
        let at = self.operand_or_number(&tiles.at);
        let number = match rows {
            Some(rows) => {
                let stride = self.unsigned(&rows.stride);
                format!("{at} + {lane} / {width} * ({stride}) + {lane} % {width}")
            }
            None => format!("{at} + {lane}"),
        };
        // The loops cover the whole output, so that it begins at coordinate zero.
        let number = match &tiles.through {
            Some(Through { level, .. }) => self.tensors[level.tensor].indices(level.level, &number),
            None => number,
        };
        let (place, sum) = (self.element(tiles.array, &number), format!("sums[{lane}]"));
        let moved = |printer: &mut Self| match tiles.store {
            true => printer.lines.line(format!("{place} = {sum};")),
            false => printer.reduce(&place, tiles.reduction, &Operation::atom(&sum)),
        };
        if self.machine.tile.is_some() {
            return self.at_once(&lane, most, moved);
        }
        let count = rows.map_or(width.clone(), |rows| format!("{} * {width}", self.var(rows.count)));
        self.within(
            format!("for (size_t {lane} = 0; {lane} < {count}; {lane}++)"),
            |printer| {
                printer.lines.line(format!("#pragma HLS LOOP_TRIPCOUNT max={most}"));
                printer.pipelined(true, tiles.store, &[]);
                moved(printer);
            },
        );
    }

    /// Returns the name of a loop's variable, and what it goes over.
    fn loop_of(&self, stmt: &Stmt) -> (String, Option<super::TripsOf>) {
        match stmt {
            Stmt::Entries(entries) => {
                let of = super::TripsOf::Entries {
                    parameter: self.machine.parameter_of(entries.tensor),
                    level: entries.first,
                };
                (self.var(entries.position), Some(of))
            }
            Stmt::Range(range) => (self.var(range.var), self.trips_of(&range.lows, &range.highs)),
            _ => unreachable!("a loop has a variable"),
        }
    }
}
