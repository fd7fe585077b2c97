//! Prints how values get to their destinations: elements of arrays, sums, sparse results.

use super::Printer;
use super::machine::Machine;
use super::types::Operation;
use crate::compiler::loops::{Array, Destination, Expr, Lvalue, Reduction, Stmt, Through, Tiles, Value};

/// The reason why loops over slices do not occur.
pub(super) const NO_SLICES: &str = "loops of C index arrays: `Target::C` has no slices";

/// Maximum number of sums of a tile.
const TILE: usize = 64;
/// GCC unrolls loops of at most this many iterations before it vectorises. Loops of half as many iterations are still
/// vectorised, unless GCC has moved a part of what they read out of the loop around them.
pub(super) const UNROLLED: usize = 16;

/// The form of loops along a tile.
#[derive(Clone, Copy)]
pub(super) enum Along {
    /// One loop that is vectorised and not unrolled.
    Vectors,
    /// Two loops of half as many iterations.
    Halves,
}

impl<M: Machine> Printer<'_, M> {
    pub(super) fn accumulate_value(&mut self, place: &Lvalue, reduction: Reduction, value: &Value) {
        if !value.is_optional() {
            let value = self.value(value);
            return M::add(self, place, reduction, &value);
        }
        self.within("", |printer| {
            let maybe = printer.maybe(value);
            match maybe.is {
                Some(is) => printer.within(format!("if ({is})"), |printer| {
                    M::add(printer, place, reduction, &maybe.value);
                }),
                None => M::add(printer, place, reduction, &maybe.value),
            }
        });
    }

    pub(crate) fn accumulate(&mut self, place: &Lvalue, reduction: Reduction, value: &Operation) {
        match place {
            Lvalue::Sum => {
                self.reduce("sum", reduction, value);
                if self.notes_any {
                    self.lines.line("any = true;");
                }
            }
            Lvalue::Item => unreachable!("{NO_SLICES}"),
            Lvalue::Element(array, at) => {
                let place = self.element(*array, &self.unsigned(at));
                self.reduce(&place, reduction, value);
            }
            Lvalue::Output(coordinate) => self.append(coordinate, &value.text),
            Lvalue::Scattered(coordinate) => {
                let coordinate: Vec<String> = coordinate.iter().map(|at| self.unsigned(at)).collect();
                self.append_at(&coordinate, &value.text);
            }
            Lvalue::Fiber(at) => {
                let at = self.unsigned(at);
                let (number, term) = (
                    self.bind("size_t", "number", &at),
                    self.bind(self.element.text, "term", &value.text),
                );
                let place = format!("fiber.values[{number}]");
                let put = self.element.function("put");
                self.within(format!("if (fiber.used[{number}])"), |printer| {
                    printer.reduce(&place, reduction, &Operation::atom(&term));
                    printer.lines.turn("else");
                    printer.lines.line(format!("{put}(&fiber, {number}, {term});"));
                });
            }
            Lvalue::Maybe(number) => {
                let (is, found) = self.maybes[number].clone();
                if self.read.contains(number) {
                    self.lines.line(format!("{found} = {};", value.text));
                }
                self.lines.line(format!("{is} = true;"));
            }
        }
    }

    /// Sets `count` elements of an array to zero.
    pub(super) fn fill(&mut self, array: Array, first: Option<&str>, count: &str) {
        let at = self.fresh("at");
        let number = first.map_or_else(|| at.clone(), |first| format!("{first} + {at}"));
        let (place, zero) = (self.element(array, &number), self.element.zero());
        self.within(format!("for (size_t {at} = 0; {at} < {count}; {at}++)"), |printer| {
            printer.lines.line(format!("{place} = {zero};"));
        });
    }

    /// Prints `place = place + value;`.
    pub(crate) fn reduce(&mut self, place: &str, reduction: Reduction, value: &Operation) {
        let reduced = self.element.reduced(reduction, &Operation::atom(place), value);
        self.lines.line(format!("{place} = {};", reduced.text));
    }

    pub(super) fn sum(&mut self, body: &[Stmt], reduction: Reduction, into: &Destination, unrolled: bool) {
        let (kind, start) = (self.element.text, self.element.identity(reduction));
        self.lines.line(format!("{kind} sum = {start};"));
        let notes_any = matches!(into, Destination::Output { sure: false, .. });
        if notes_any {
            self.lines.line("bool any = false;");
        }
        let outside = std::mem::replace(&mut self.notes_any, notes_any);
        match body.split_last() {
            Some((last, binds)) if unrolled => {
                self.block(binds);
                self.unrolled(last, reduction);
            }
            _ => self.block(body),
        }
        self.notes_any = outside;
        self.move_sum(reduction, into);
    }

    /// Adds the sum to its destination, or stores it there.
    pub(crate) fn move_sum(&mut self, reduction: Reduction, into: &Destination) {
        let sum = Operation::atom("sum");
        match into {
            Destination::Element { array, at, store } => {
                let place = self.element(*array, &self.unsigned(at));
                if *store {
                    self.lines.line(format!("{place} = sum;"));
                } else {
                    self.reduce(&place, reduction, &sum);
                }
            }
            Destination::Output { coordinate, sure: true } => self.append(coordinate, "sum"),
            Destination::Output { coordinate, .. } => {
                self.within("if (any)", |printer| printer.append(coordinate, "sum"));
            }
            Destination::Item { .. } => unreachable!("{NO_SLICES}"),
            Destination::Total => self.reduce("total", reduction, &sum),
        }
    }

    /// Adds up to seven terms one after another; of more, whole fours to eight sums in turn, and then the last ones to the total of these
    /// sums, as the run time of Rust does.
    fn unrolled(&mut self, last: &Stmt, reduction: Reduction) {
        let (low, high, var) = match last {
            Stmt::Entries(entries) => {
                let (low, high) = self.segment(entries.first(), &entries.within);
                (low, high, entries.position)
            }
            Stmt::Range(range) => {
                let (low, high) = self.bounds(true, &range.lows, &range.highs);
                (low, high, range.var)
            }
            _ => unreachable!("a sum of one loop is unrolled"),
        };
        let step = |printer: &mut Self, at: &str, sum: &str| {
            let name = printer.var(var);
            printer.lines.line(format!("const size_t {name} = {at};"));
            let body = match last {
                Stmt::Entries(entries) => {
                    printer.read_entry(entries);
                    &entries.body
                }
                last => last.body(),
            };
            let (leaf, lookups) = body.split_last().expect("a sum has terms");
            printer.block(lookups);
            if let Stmt::Accumulate { value, .. } = leaf {
                let value = printer.value(value);
                printer.reduce(sum, reduction, &value);
            }
        };
        let [at, end, sums, lane] = ["at", "end", "sums", "lane"].map(|name| self.fresh(name));
        let (kind, start) = (self.element.text, self.element.identity(reduction));
        self.lines.line(format!("size_t {at} = {low};"));
        self.lines.line(format!("const size_t {end} = {high};"));
        self.within(format!("if ({at} < {end} && {end} - {at} >= 8)"), |printer| {
            // The places of the sums are constant once the loops are unrolled, so that they are registers on a device.
            printer.lines.line(format!("{kind} {sums}[8];"));
            let each = format!("for (size_t {lane} = 0; {lane} < 8; {lane}++)");
            printer.within(&each, |printer| {
                printer.lines.line(format!("{sums}[{lane}] = {start};"));
            });
            let (place, sum) = (format!("{at} + {lane}"), format!("{sums}[{lane}]"));
            printer.within(format!("for (; {end} - {at} >= 8; {at} += 8)"), |printer| {
                printer.within(&each, |printer| step(printer, &place, &sum));
            });
            printer.within(format!("if ({end} - {at} >= 4)"), |printer| {
                let each = format!("for (size_t {lane} = 0; {lane} < 4; {lane}++)");
                printer.within(&each, |printer| step(printer, &place, &sum));
                printer.lines.line(format!("{at} += 4;"));
            });
            for distance in [4, 2, 1] {
                for number in 0..distance {
                    let other = Operation::atom(format!("{sums}[{}]", number + distance));
                    printer.reduce(&format!("{sums}[{number}]"), reduction, &other);
                }
            }
            printer.lines.line(format!("sum = {sums}[0];"));
        });
        self.within(format!("for (; {at} < {end}; {at}++)"), |printer| {
            step(printer, &at, "sum");
        });
    }

    /// Prints sums of neighbouring elements, by tiles.
    pub(super) fn tiles(&mut self, tiles: &Tiles) {
        let Some(rows) = &tiles.rows else {
            return self.tiles_of_rows(tiles, None);
        };
        // The shortest tile, which limits the number of rows.
        const SHORTEST: usize = 8;
        let (first, count) = (self.var(rows.var), self.var(rows.count));
        let (low, high) = self.bounds(true, &rows.lows, &rows.highs);
        let end = self.fresh(&format!("{first}_end"));
        let most = TILE / SHORTEST;
        let head = self.loop_head("size_t", (&first, &low), (&end, &high), &format!("{first} += {most}"));
        let stride = self.unsigned(&rows.stride);
        self.within(head, |printer| {
            printer.lines.line(format!(
                "const size_t {count} = {end} - {first} < {most} ? {end} - {first} : {most};"
            ));
            printer.tiles_of_rows(tiles, Some((&count, &stride)));
        });
    }

    /// Prints tiles of a constant width, which the compiler keeps in registers, and then the remaining elements.
    /// Iterations of a parallel loop have equal widths, except the last.
    fn tiles_of_rows(&mut self, tiles: &Tiles, rows: Option<(&str, &str)>) {
        let (first, width) = (self.var(tiles.var), self.var(tiles.width));
        let (low, high) = self.bounds(true, &tiles.lows, &tiles.highs);
        let end = self.fresh(&format!("{first}_end"));
        let left = format!("{end} - {first}");
        let shortest = tiles.lengths.last().copied().unwrap_or(TILE);
        if rows.is_some() || self.parallel.is_some() || tiles.lengths.is_empty() {
            let most = rows.map_or(TILE.to_string(), |(rows, _)| format!("{TILE} / {rows}"));
            let head = self.loop_head("size_t", (&first, &low), (&end, &high), &format!("{first} += {most}"));
            return self.within(head, |printer| {
                if rows.is_none() {
                    printer.lines.open(format!("if ({left} >= {TILE})"));
                    printer.lines.line(format!("const size_t {width} = {TILE};"));
                    printer.tile(tiles, None, TILE);
                    printer.lines.turn("else");
                    printer.lines.line(format!("const size_t {width} = {left};"));
                    printer.tile(tiles, None, TILE);
                    printer.lines.close();
                } else {
                    printer
                        .lines
                        .line(format!("const size_t {width} = {left} < {most} ? {left} : {most};"));
                    printer.tile(tiles, rows, TILE);
                }
            });
        }
        self.lines.line(format!("size_t {first} = {low};"));
        self.lines.line(format!("const size_t {end} = {high};"));
        for &wide in tiles.lengths {
            let head = format!("for (; {first} < {end} && {left} >= {wide}; {first} += {wide})");
            self.within(head, |printer| {
                printer.lines.line(format!("const size_t {width} = {wide};"));
                printer.tile(tiles, None, wide);
            });
        }
        self.within(format!("if ({first} < {end})"), |printer| {
            printer.lines.line(format!("const size_t {width} = {left};"));
            printer.tile(tiles, None, shortest);
        });
    }

    /// Prints one tile of at most `most` sums, and binds its width to a name.
    fn tile(&mut self, tiles: &Tiles, rows: Option<(&str, &str)>, most: usize) {
        let (kind, start) = (self.element.text, self.element.identity(tiles.reduction));
        let (width, lane) = (self.var(tiles.width), self.fresh("lane"));
        let sums = rows.map_or(width.clone(), |(rows, _)| format!("{rows} * {width}"));
        let each = format!("for (size_t {lane} = 0; {lane} < {sums}; {lane}++)");
        self.lines.line(format!("{kind} sums[{most}];"));
        self.within(&each, |printer| printer.lines.line(format!("sums[{lane}] = {start};")));
        self.along_tile = match most {
            _ if tiles.reads_again && most <= UNROLLED => Some((tiles.width, Along::Vectors)),
            UNROLLED => Some((tiles.width, Along::Halves)),
            _ => None,
        };
        self.block(&tiles.body);
        self.along_tile = None;
        let at = self.operand_or_number(&tiles.at);
        let number = match rows {
            Some((_, stride)) => format!("{at} + {lane} / {width} * ({stride}) + {lane} % {width}"),
            None => format!("{at} + {lane}"),
        };
        // The loops cover the whole output, so that it begins at coordinate zero.
        let number = match &tiles.through {
            Some(Through { level, .. }) => self.tensors[level.tensor].indices(level.level, &number),
            None => number,
        };
        let place = self.element(tiles.array, &number);
        let sum = format!("sums[{lane}]");
        self.within(&each, |printer| {
            if tiles.store {
                printer.lines.line(format!("{place} = {sum};"));
            } else {
                printer.reduce(&place, tiles.reduction, &Operation::atom(&sum));
            }
        });
    }

    /// Appends an element of the sparse output, by its coordinates in the order of the loops.
    fn append(&mut self, coordinate: &[Expr], value: &str) {
        let coordinate: Vec<String> = coordinate.iter().map(|at| self.unsigned(at)).collect();
        self.append_in_order(&coordinate, value);
    }

    fn append_in_order(&mut self, coordinate: &[String], value: &str) {
        let by_dim = self.by_dim(coordinate);
        self.append_at(&by_dim, value);
    }

    /// Returns the coordinates of the output in the order of its dims, from those in the order of the loops.
    pub(crate) fn by_dim(&self, coordinate: &[String]) -> Vec<String> {
        let mut by_dim: Vec<(usize, &String)> = self.order.iter().copied().zip(coordinate).collect();
        by_dim.sort_by_key(|(dim, _)| *dim);
        by_dim.into_iter().map(|(_, at)| at.clone()).collect()
    }

    /// Appends an element of the sparse output, by its coordinates in the order of the dims.
    fn append_at(&mut self, coordinate: &[String], value: &str) {
        let (append, output) = (self.element.function("append"), &self.operands[0]);
        let coordinate = coordinate.join(", ");
        self.lines.line(format!(
            "{append}({output}, (const size_t[]){{{coordinate}}}, {value});"
        ));
    }

    /// Appends the elements of the fiber, in order.
    pub(super) fn drain(&mut self, outer: &[Expr], extents: &[Expr]) {
        let (sort, take) = (self.element.function("sort"), self.element.function("take_out"));
        let (at, number) = (self.fresh("at"), self.fresh("number"));
        self.lines.line(format!("{sort}(&fiber);"));
        let head = format!("for (size_t {at} = 0; {at} < fiber.count; {at}++)");
        self.within(head, |printer| {
            printer
                .lines
                .line(format!("const size_t {number} = fiber.touched[{at}];"));
            let mut coordinate: Vec<String> = outer.iter().map(|at| printer.unsigned(at)).collect();
            coordinate.extend(printer.digits(&number, extents));
            printer.append_in_order(&coordinate, &format!("{take}(&fiber, {at})"));
        });
        self.lines.line("fiber.count = 0;");
    }

    /// Returns the coordinates of the element of a box that has this row-major number.
    pub(crate) fn digits(&self, number: &str, extents: &[Expr]) -> Vec<String> {
        let digit = |digit: usize| {
            let below = extents[digit + 1..].iter();
            let below = below.map(|extent| format!(" / {}", self.operand(extent, true)));
            let quotient = format!("{number}{}", below.collect::<String>());
            if extents.len() == 1 {
                quotient
            } else {
                format!("{quotient} % {}", self.operand(&extents[digit], true))
            }
        };
        (0..extents.len()).map(digit).collect()
    }
}
