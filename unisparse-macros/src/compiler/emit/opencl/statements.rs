//! Prints statements of the loop IR.

use super::Printer;
use super::arguments::ArgumentKind;
use crate::compiler::loops::{Bind, Condition, Destination, Entries, Lvalue, Range, Segment, Stmt, TensorLevel};

const SEARCH: &str = "a level is searched: that is not printed";
const SPARSE_OUTPUT: &str = "the output is sparse";
const SLICES: &str = "a loop iterates over slices: the target has none";

impl Printer<'_> {
    pub(super) fn block(&mut self, block: &[Stmt]) -> Result<(), String> {
        block.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    /// Prints `head { body }`.
    fn within(&mut self, head: &str, body: &[Stmt]) -> Result<(), String> {
        self.lines.open(head);
        self.block(body)?;
        self.lines.close();
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<(), String> {
        match stmt {
            Stmt::Range(range) => self.range(range),
            Stmt::Tiles(tiles) => self.tiles(tiles),
            Stmt::Entries(entries) => self.entries(entries),
            Stmt::Let { var, value } => {
                let value = self.bound(*var, value);
                self.declare(&self.var(*var), &value);
                Ok(())
            }
            Stmt::Bind(bind) => self.bind(bind),
            Stmt::If { conditions, body } => {
                let conditions = conditions.iter().map(|condition| self.condition(condition));
                let conditions = conditions.collect::<Result<Vec<String>, String>>()?;
                self.within(&format!("if ({})", conditions.join(" && ")), body)
            }
            Stmt::Accumulate {
                place,
                reduction,
                value,
            } => {
                let place = match place {
                    Lvalue::Sum => "sum".to_owned(),
                    Lvalue::Element(array, at) => self.element_at(*array, at),
                    Lvalue::Output(_) | Lvalue::Scattered(_) | Lvalue::Fiber(_) => return Err(SPARSE_OUTPUT.to_owned()),
                    Lvalue::Item => return Err(SLICES.to_owned()),
                    Lvalue::Maybe(_) => return Err("a value may be missing: that is not printed".to_owned()),
                };
                let value = self.value(value)?;
                self.add(&place, *reduction, &value)
            }
            Stmt::Fill { array, at, count } => {
                let lane = self.fresh("at");
                let place = self.element(*array, &format!("{} + {lane}", self.integer(at)));
                let count = self.integer(count);
                self.lines
                    .open(format!("for (long {lane} = 0; {lane} < {count}; {lane}++)"));
                self.lines.line(format!("{place} = 0;"));
                self.lines.close();
                Ok(())
            }
            // The terms are added in the order of the loop, even if the sum could be `unrolled`.
            Stmt::Sum {
                body, reduction, into, ..
            } => {
                self.lines.open("");
                self.lines.line("ELEMENT sum = 0;");
                self.block(body)?;
                match into {
                    Destination::Element { array, at, store: true } => {
                        let place = self.element_at(*array, at);
                        self.lines.line(format!("{place} = sum;"));
                    }
                    Destination::Element { array, at, .. } => {
                        let place = self.element_at(*array, at);
                        self.add(&place, *reduction, "sum")?;
                    }
                    Destination::Item { .. } => return Err(SLICES.to_owned()),
                    Destination::Output { .. } => return Err(SPARSE_OUTPUT.to_owned()),
                    Destination::Total => return Err("the output is a scalar".to_owned()),
                }
                self.lines.close();
                Ok(())
            }
            // The positions share elements, so one work item executes all of them.
            Stmt::Parallel(parallel) if parallel.piece.is_none() => self.block(&parallel.body),
            Stmt::Parallel(_) => Err("the outermost loop is cut into pieces: the target has work items".to_owned()),
            Stmt::Merge(_) => Err("levels are merged: that is not printed".to_owned()),
            Stmt::Open { .. } | Stmt::Between { .. } | Stmt::Find(_) | Stmt::Step { .. } => Err(SEARCH.to_owned()),
            Stmt::Lookup { .. } | Stmt::First { .. } => {
                Err("a level is what a query gives: that is not printed".to_owned())
            }
            Stmt::Parts { .. } => Err("a tensor is partitioned".to_owned()),
            Stmt::Fiber { .. } => Err(SPARSE_OUTPUT.to_owned()),
            Stmt::Maybe { .. } => Err("a value may be missing: that is not printed".to_owned()),
            Stmt::Count(_) => Err(SLICES.to_owned()),
            Stmt::Visit { .. } => Err("elements are handed to a caller: a kernel has none".to_owned()),
        }
    }

    /// Prints `const long name = value;`.
    pub(super) fn declare(&mut self, name: &str, value: &str) {
        self.lines.line(format!("const long {name} = {value};"));
    }

    fn bind(&mut self, bind: &Bind) -> Result<(), String> {
        let (name, value) = (self.var(bind.var), self.value(&bind.value)?);
        self.lines.line(format!("const ELEMENT {name} = {value};"));
        Ok(())
    }

    // ---- loops ----

    /// Prints the position of this work item in the outermost loop, which is last, and in the parallel loops inside it.
    /// Appends the number of positions of each to `items`.
    pub(super) fn work_items(&mut self, block: &[Stmt], items: &mut Vec<String>) -> Result<(), String> {
        let dimension = items.len();
        let Some((outermost, before)) = block.split_last() else {
            return Err("a parallel loop has no statements".to_owned());
        };
        self.block(before)?;
        let (var, (low, high, step)) = match outermost {
            Stmt::Range(range) => (range.var, self.range_bounds(range)),
            // Each work item computes a tile of one element.
            Stmt::Tiles(tiles) if tiles.rows.is_none() => {
                let (low, high) = self.bounds(tiles.var, &tiles.lows, &tiles.highs);
                (tiles.var, (low, high, None))
            }
            _ => return Err("the outermost loop does not go over numbers: that is not printed".to_owned()),
        };
        let var = self.var(var);
        let item = match &step {
            None => format!("(long)get_global_id({dimension})"),
            Some(step) => format!("(long)get_global_id({dimension}) * {step}"),
        };
        let (first, mut count) = if low == "0" {
            (item, high.clone())
        } else {
            (format!("{low} + {item}"), format!("{high} - ({low})"))
        };
        if let Some(step) = &step {
            count = format!("unisparse_ceil({count}, {step})");
        }
        self.declare(&var, &first);
        self.lines.open(format!("if ({var} < {high})"));
        items.push(count);
        match (outermost, outermost.body()) {
            (Stmt::Tiles(tiles), _) => self.tile(tiles, "1", None)?,
            (_, [before @ .., Stmt::Parallel(inner)]) => {
                self.block(before)?;
                self.work_items(&inner.body, items)?;
            }
            (_, body) => self.block(body)?,
        }
        self.lines.close();
        Ok(())
    }

    /// Loops over parents include those without entries, for which nothing is done.
    fn range(&mut self, range: &Range) -> Result<(), String> {
        let (low, high, step) = self.range_bounds(range);
        let step = step.unwrap_or_else(|| "1".to_owned());
        let head = self.loop_head(&self.var(range.var), (&low, &high), &step);
        self.within(&head, &range.body)
    }

    /// Returns `for (long name = low, name_end = high; ..)`.
    pub(super) fn loop_head(&mut self, name: &str, (low, high): (&str, &str), step: &str) -> String {
        let end = self.fresh(&format!("{name}_end"));
        format!("for (long {name} = {low}, {end} = {high}; {name} < {end}; {name} += {step})")
    }

    /// Returns the first position of a segment, and its end.
    fn segment(&self, level: TensorLevel, segment: &Segment) -> Result<(String, String), String> {
        match segment {
            Segment::All => Ok(("0".to_owned(), self.argument(ArgumentKind::Count(level)).to_owned())),
            Segment::Of(parent) => {
                let pointers = self.argument(ArgumentKind::Pointers(level));
                let parent = self.integer(parent);
                Ok((format!("{pointers}[{parent}]"), format!("{pointers}[{parent} + 1]")))
            }
            Segment::Between(low, high) => Ok((self.integer(low), self.integer(high))),
            Segment::Run(_) | Segment::Below(_) => Err(SEARCH.to_owned()),
        }
    }

    fn entries(&mut self, entries: &Entries) -> Result<(), String> {
        let of_tensor = |level| TensorLevel {
            tensor: entries.tensor,
            level,
        };
        let (low, high) = self.segment(of_tensor(entries.first), &entries.within)?;
        let position = self.var(entries.position);
        let head = self.loop_head(&position, (&low, &high), "1");
        self.lines.open(head);
        for &(level, var) in &entries.coordinates {
            let in_load = entries.loads.iter().any(|load| load.value.uses(var));
            if in_load || entries.body.iter().any(|stmt| stmt.uses(var)) {
                let indices = self.argument(ArgumentKind::Indices(of_tensor(level)));
                let read = format!("{indices}[{position}]");
                self.declare(&self.var(var), &read);
            }
        }
        entries.loads.iter().try_for_each(|load| self.bind(load))?;
        self.block(&entries.body)?;
        self.lines.close();
        Ok(())
    }

    fn condition(&self, condition: &Condition) -> Result<String, String> {
        Ok(match condition {
            Condition::Nonnegative(expr) => format!("{} >= 0", self.integer(expr)),
            Condition::Zero(expr) => format!("{} == 0", self.integer(expr)),
            Condition::Divisible(expr, divisor) => format!("{} % {} == 0", self.operand(expr), self.operand(divisor)),
            Condition::Nonzero { array, at, negated } => {
                let operator = if *negated { "==" } else { "!=" };
                format!("{} {operator} 0", self.element_at(*array, at))
            }
            Condition::Missing(_) => return Err("a value may be missing: that is not printed".to_owned()),
        })
    }
}
