//! Prints loops, and which of them are pipelines.

use super::super::c::{Machine, Operation, Printer, Source, number};
use super::DIALECT;
use super::pragmas::{Hardware, TripsOf};
use crate::compiler::loops::{Array, Destination, Entries, Expr, Lvalue, Ownership, Range, Reduction, Stmt};
use crate::compiler::lower::{Output, updated};

impl Machine for Hardware {
    fn stmt(printer: &mut Printer<'_, Self>, stmt: &Stmt) {
        match stmt {
            Stmt::Parallel(parallel) => {
                printer.machine.owns = matches!(parallel.ownership, Ownership::Owned(_));
                printer.block(&parallel.body);
            }
            Stmt::Range(range) => printer.range_of_hardware(range),
            Stmt::Entries(entries) => printer.entries_of_hardware(entries),
            Stmt::Tiles(tiles) => printer.tiles_of_hardware(tiles),
            Stmt::Fill { array, at, count } => {
                let (first, count) = (printer.operand_or_number(at), printer.unsigned(count));
                printer.zeros(*array, Some(&first), &count);
            }
            Stmt::Sum {
                body,
                reduction,
                into,
                unrolled,
            } => {
                if let Destination::Element {
                    array,
                    at,
                    store: false,
                } = into
                {
                    printer.touch(*array, at);
                }
                match unrolled {
                    true => printer.within("", |printer| printer.independent_sums(body, *reduction, into)),
                    false => printer.stmt(stmt),
                }
            }
            Stmt::Parts { tensor, body, .. } => printer.parts_of_hardware(*tensor, body),
            Stmt::Let { .. }
            | Stmt::Bind(_)
            | Stmt::Lookup { .. }
            | Stmt::First { .. }
            | Stmt::If { .. }
            | Stmt::Maybe { .. }
            | Stmt::Accumulate { .. } => printer.stmt(stmt),
            Stmt::Merge(_) | Stmt::Open { .. } | Stmt::Between { .. } | Stmt::Find(_) | Stmt::Step { .. } => {
                unreachable!("a program with searches is refused")
            }
            Stmt::Fiber { .. } => unreachable!("a program with a sparse result is refused"),
            Stmt::Visit { .. } => unreachable!("a kernel hands no elements to a caller"),
            Stmt::Count(_) => unreachable!("loops index arrays: the target has no slices"),
        }
    }

    fn add(printer: &mut Printer<'_, Self>, place: &Lvalue, reduction: Reduction, value: &Operation) {
        if let Lvalue::Element(array, at) = place {
            printer.touch(*array, at);
        }
        printer.accumulate(place, reduction, value);
    }

    fn read(element: String) -> String {
        element
    }
}

impl Printer<'_, Hardware> {
    /// Prints all statements of the function.
    pub(super) fn whole(&mut self, source: &Source<'_>, nests: &[Vec<Stmt>]) {
        let output = &source.program.output;
        if *output == (Output::Dense { zero_first: true }) {
            self.zero(source);
        }
        if *output != Output::Scalar {
            return self.nests(nests);
        }
        let (kind, start) = (self.element.text, self.element.start(source.kernel().reduction.into()));
        self.lines.line(format!("{kind} total = {start};"));
        self.nests(nests);
        let output = self.operands[0].clone();
        self.lines.line(format!("{output}[0] = total;"));
    }

    /// Prints the nests, each with the sizes that it uses.
    fn nests(&mut self, nests: &[Vec<Stmt>]) {
        for nest in nests {
            let body = |printer: &mut Self| {
                for tensor in 0..printer.tensors.len() {
                    if !printer.tensors[tensor].is_cut {
                        printer.numbers(tensor, nest);
                    }
                }
                printer.block(nest);
            };
            match nests.len() {
                1 => body(self),
                _ => self.within("", body),
            }
        }
    }

    /// Prints a loop that stores zeros in the whole output.
    fn zero(&mut self, source: &Source<'_>) {
        let (kernel, program) = (source.kernel(), &source.program);
        let extents = kernel.output.iter().map(|&index| self.var(program.extents[index]));
        let elements = extents.reduce(|all, extent| format!("{all} * {extent}"));
        self.zeros(Array::Dense(0), None, &elements.unwrap_or_else(|| "1".to_owned()));
    }

    /// Prints a loop that stores `count` zeros.
    fn zeros(&mut self, array: Array, first: Option<&str>, count: &str) {
        let at = self.fresh("at");
        let number = first.map_or_else(|| at.clone(), |first| format!("{first} + {at}"));
        let (place, zero) = (self.element(array, &number), self.element.zero());
        self.within(format!("for (size_t {at} = 0; {at} < {count}; {at}++)"), |printer| {
            printer.pipelined(true, true, &[]);
            printer.lines.line(format!("{place} = {zero};"));
        });
    }

    /// Prints the line with which a simulation checks a claim about an element that is updated.
    fn touch(&mut self, array: Array, at: &Expr) {
        if self.machine.claimed.contains(&array) {
            let (name, at) = (self.array(array), self.unsigned(at));
            self.lines.line(format!("UNISPARSE_TOUCH({name}, {at});"));
        }
    }

    /// Prints a loop with its pragmas. `stmt` is the whole loop.
    pub(super) fn looped(
        &mut self,
        stmt: &Stmt,
        (name, of): (&str, Option<TripsOf>),
        head: &str,
        body: impl FnOnce(&mut Self),
    ) {
        let owns = std::mem::take(&mut self.machine.owns);
        let is_innermost = self.copies_inside(stmt.body()).is_some();
        let mut claimed: Vec<Array> = Vec::new();
        if owns && is_innermost {
            let places = updated(stmt).unwrap_or_default().into_iter();
            claimed = places.map(|(array, _)| array).collect();
            claimed.sort_unstable();
            claimed.dedup();
        }
        let loop_of = |printer: &mut Self| {
            for array in &claimed {
                let name = printer.array(*array);
                printer.lines.line(format!("UNISPARSE_CLAIM({name}, 0);"));
            }
            printer.within(head, |printer| {
                printer.trips(name, of, 1);
                printer.pipelined(is_innermost, owns, &claimed);
                let outside = std::mem::replace(&mut printer.machine.claimed, claimed.clone());
                body(printer);
                printer.machine.claimed = outside;
            });
        };
        match claimed.is_empty() {
            true => loop_of(self),
            false => self.within("", loop_of),
        }
    }

    fn range_of_hardware(&mut self, range: &Range) {
        let stmt = Stmt::Range(range.clone());
        if let Some(count) = self.copies(range) {
            return self.copied(range, count);
        }
        let natural = self.variables.is_natural(range.var);
        let (kind, name) = (number(natural), self.var(range.var));
        let end = self.fresh(&format!("{name}_end"));
        let (mut low, high) = self.bounds(natural, &range.lows, &range.highs);
        let mut step = format!("{name}++");
        if let Some((residue, modulus)) = &range.stride {
            let (residue, modulus) = (self.signed(residue), self.unsigned(modulus));
            low = format!("unisparse_congruent((ptrdiff_t)({low}), {residue}, (ptrdiff_t)({modulus}))");
            step = format!("{name} += ({kind})({modulus})");
        }
        let of = self.trips_of(&range.lows, &range.highs);
        let head = format!("for ({kind} {name} = {low}, {end} = {high}; {name} < {end}; {step})");
        self.looped(&stmt, (&name, of), &head, |printer| printer.block(&range.body));
    }

    /// Prints a loop of constant length, all iterations of which are computed at once.
    fn copied(&mut self, range: &Range, count: usize) {
        self.machine.owns = false;
        let name = self.var(range.var);
        let is_end = |high: &Expr| self.constant(high) == i128::try_from(count).ok();
        let others: Vec<Expr> = range.highs.iter().filter(|high| !is_end(high)).cloned().collect();
        let conditions = self.inside(&name, &range.lows, &others);
        // The variable also has the value of the end.
        let bits = usize::BITS - count.leading_zeros();
        let head = format!("for (ap_uint<{}> {name} = 0; {name} < {count}; {name}++)", bits.max(1));
        self.within(head, |printer| {
            printer.lines.line("#pragma HLS UNROLL");
            match conditions.is_empty() {
                true => printer.block(&range.body),
                false => {
                    let head = format!("if ({})", conditions.join(" && "));
                    printer.within(head, |printer| printer.block(&range.body));
                }
            }
        });
    }

    fn entries_of_hardware(&mut self, entries: &Entries) {
        let (low, high) = self.segment(entries.first(), &entries.within);
        let position = self.var(entries.position);
        let end = self.fresh(&format!("{position}_end"));
        let of = TripsOf::Entries {
            parameter: self.machine.parameter_of(entries.tensor),
            level: entries.first,
        };
        let head = format!("for (size_t {position} = {low}, {end} = {high}; {position} < {end}; {position}++)");
        let stmt = Stmt::Entries(entries.clone());
        self.looped(&stmt, (&position, Some(of)), &head, |printer| {
            printer.read_entry(entries);
            printer.block(&entries.body);
        });
    }

    /// Prints the loop over the parts of a tensor, whose numbers and first places are in a table.
    fn parts_of_hardware(&mut self, tensor: usize, body: &[Stmt]) {
        let part = self.fresh("part");
        let (name, argument) = {
            let of = &self.tensors[tensor];
            (of.name.clone(), of.argument.clone())
        };
        let members = self.tensors[tensor].members(self.element);
        let head = format!("for (size_t {part} = 0; {part} < {argument}_part_count; {part}++)");
        self.within(head, |printer| {
            let inside = printer.lines.beside();
            let outside = std::mem::replace(&mut printer.lines, inside);
            printer.numbers(tensor, body);
            printer.block(body);
            let inside = std::mem::replace(&mut printer.lines, outside);
            for (at, member) in members.iter().enumerate() {
                let (constant, kind) = match member.is_number() {
                    true => (
                        format!("{name}_{}", member.name),
                        number(member.entry != DIALECT.native[1]),
                    ),
                    false => (printer.tensors[tensor].offset(&member.name), "size_t"),
                };
                if inside.mention(&constant) {
                    let count = members.len();
                    let word = format!("{argument}_parts[{part} * {count} + {at}]");
                    printer.lines.line(format!("const {kind} {constant} = ({kind}){word};"));
                }
            }
            printer.lines.append(&inside);
        });
    }
}
