//! Executes the program of one core: computes the values, counts the instructions, and reports each access to memory.
//!
//! Instructions are counted as a compiler for a scalar machine emits them: an access at the position of a pass is a load and the
//! advance of a pointer; any other is a shift and an addition for its address, and a load; a loop adds a branch for each
//! iteration. Sums are in registers. The inner loop of compressed rows then has the nine instructions that GCC 12 emits
//! for RV64GC.

use super::bank::{PartArrays, Placed};
use super::device::{Counts, Opcode};
use super::evaluate::evaluate;
use super::memory::{Access, Memory};
use super::program::{Array, Condition, Expr, Kernel, Place, Segment, Stmt, Value};
use super::written::Written;
use crate::array::IndexArray;
use crate::element::{Accumulator, Scalar, Stored};
use crate::error::{Error, ErrorKind};
use crate::format::{LevelArrays, Tree};

/// The elements of a tile, which are in registers: half of the 32 of RV64GC.
const TILE: i128 = 16;

/// A core that executes a program over one part.
pub(super) struct Core<'a, P, T: Scalar, M, A, const N: usize, const L: usize> {
    pub(super) kernel: &'a Kernel<A>,
    pub(super) part: &'a P,
    pub(super) levels: [LevelArrays<'a>; L],
    pub(super) places: &'a PartArrays,
    /// The elements of each operand; nothing for the output and the part.
    pub(super) operands: &'a [&'a [T]],
    pub(super) operand_places: &'a [Placed],
    pub(super) output: &'a mut Written<T>,
    pub(super) counts: &'a mut Counts,
    pub(super) memory: &'a mut M,
    pub(super) variables: Vec<i128>,
    /// Whether a variable is the position of a pass.
    pub(super) is_position: Vec<bool>,
    /// The variables that hold elements.
    pub(super) elements: Vec<T::Sum>,
    pub(super) sum: T::Sum,
    pub(super) tile: Vec<T::Sum>,
}

impl<P, T, M, A, const N: usize, const L: usize> Core<'_, P, T, M, A, N, L>
where
    P: Tree<N, L>,
    P::Scalar: Stored<Value = T>,
    T: Scalar,
    M: Memory,
{
    /// Executes all nests.
    pub(super) fn run(&mut self) -> Result<(), Error> {
        let kernel = self.kernel;
        kernel.nests.iter().try_for_each(|nest| self.block(nest))
    }

    fn block(&mut self, block: &'static [Stmt]) -> Result<(), Error> {
        block.iter().try_for_each(|stmt| self.statement(stmt))
    }

    fn count(&mut self, opcode: Opcode, times: u64) {
        let count = &mut self.counts[opcode as usize];
        *count = count.saturating_add(times);
    }

    fn statement(&mut self, stmt: &'static Stmt) -> Result<(), Error> {
        match *stmt {
            Stmt::Range {
                var,
                natural,
                lows,
                highs,
                stride,
                body,
            } => {
                let (mut low, high) = self.bounds(natural, lows, highs);
                let step = match stride {
                    Some((residue, modulus)) => {
                        let (residue, modulus) = (self.expr(&residue), self.expr(&modulus).max(1));
                        self.count(Opcode::Divide, 1);
                        low = low.saturating_add(residue.saturating_sub(low).rem_euclid(modulus));
                        modulus
                    }
                    None => 1,
                };
                self.count(Opcode::Branch, 1);
                while low < high {
                    self.variables[var] = low;
                    self.block(body)?;
                    self.count(Opcode::Add, 1);
                    self.count(Opcode::Branch, 1);
                    low = low.saturating_add(step);
                }
            }
            Stmt::Tiles { .. } => self.tiles(stmt)?,
            Stmt::Entries { .. } => self.entries(stmt)?,
            Stmt::Let { var, value } => self.variables[var] = self.expr(&value),
            Stmt::Bind { var, value } => self.elements[var] = self.value(&value)?,
            Stmt::Lookup { level, var, at } => self.variables[var] = self.coordinate(level, &at)?,
            Stmt::If { conditions, body } => {
                for condition in conditions {
                    self.count(Opcode::Branch, 1);
                    if !self.holds(condition)? {
                        return Ok(());
                    }
                }
                self.block(body)?;
            }
            Stmt::Accumulate {
                place: Place::Sum,
                value,
            } => self.sum = self.added(self.sum, &value)?,
            Stmt::Accumulate {
                place: Place::Element(array, at),
                value,
            } => {
                let at = self.place_of(array, &at)?;
                let before = self.read(array, at)?;
                let after = self.added(before, &value)?;
                self.write(array, at, after)?;
            }
            Stmt::Sum { body, array, at, store } => {
                self.count(Opcode::Move, 1);
                let outer = std::mem::replace(&mut self.sum, T::Sum::ZERO);
                self.block(body)?;
                let sum = std::mem::replace(&mut self.sum, outer);
                self.move_to(array, &at, 0, store, sum)?;
            }
            Stmt::Fill { array, at, count } => {
                let (first, count) = (self.expr(&at), self.expr(&count));
                for at in 0..count.max(0) {
                    self.count(Opcode::Add, 1);
                    self.count(Opcode::Branch, 1);
                    self.write(array, first.saturating_add(at), T::Sum::ZERO)?;
                }
            }
        }
        Ok(())
    }

    /// Returns `max(lows)` and `min(highs)`.
    fn bounds(&mut self, natural: bool, lows: &'static [Expr], highs: &'static [Expr]) -> (i128, i128) {
        self.count(Opcode::Move, 1);
        self.count(Opcode::Add, (lows.len() + highs.len()).saturating_sub(2) as u64);
        let least = if natural { 0 } else { i128::MIN };
        let low = lows.iter().fold(least, |low, expr| low.max(self.expr(expr)));
        let high = highs.iter().fold(i128::MAX, |high, expr| high.min(self.expr(expr)));
        (low, high)
    }

    fn tiles(&mut self, stmt: &'static Stmt) -> Result<(), Error> {
        let &Stmt::Tiles {
            var,
            width,
            lows,
            highs,
            array,
            at,
            store,
            body,
        } = stmt
        else {
            return Ok(());
        };
        let (mut low, high) = self.bounds(true, lows, highs);
        while low < high {
            let wide = TILE.min(high - low);
            (self.variables[var], self.variables[width]) = (low, wide);
            let outer = std::mem::replace(&mut self.tile, vec![T::Sum::ZERO; wide as usize]);
            self.count(Opcode::Move, wide as u64);
            self.block(body)?;
            let sums = std::mem::replace(&mut self.tile, outer);
            for (offset, sum) in (0..).zip(sums) {
                self.move_to(array, &at, offset, store, sum)?;
            }
            self.count(Opcode::Add, 1);
            self.count(Opcode::Branch, 1);
            low += wide;
        }
        Ok(())
    }

    fn entries(&mut self, stmt: &'static Stmt) -> Result<(), Error> {
        let &Stmt::Entries {
            level,
            ref within,
            position,
            coordinates,
            streams,
            body,
        } = stmt
        else {
            return Ok(());
        };
        let (low, high) = self.segment(level, within)?;
        // The pointers of the arrays that the pass reads, and the test whether there is an entry.
        self.count(Opcode::Shift, streams as u64);
        self.count(Opcode::Add, streams as u64);
        self.count(Opcode::Branch, 1);
        self.is_position[position] = true;
        for at in low..high {
            self.variables[position] = at;
            for &(level, var) in coordinates {
                self.variables[var] = self.coordinate(level, &Expr::Var(position))?;
            }
            self.block(body)?;
            self.count(Opcode::Branch, 1);
        }
        self.is_position[position] = false;
        Ok(())
    }

    fn segment(&mut self, level: usize, within: &Segment) -> Result<(i128, i128), Error> {
        match within {
            Segment::All => {
                let len = self.levels[level].idx.map_or(0, IndexArray::len);
                Ok((0, len as i128))
            }
            Segment::Between(low, high) => Ok((self.expr(low), self.expr(high))),
            Segment::Of(parent) => {
                let parent = self.expr(parent);
                let (Some(ptr), placed) = (self.levels[level].ptr, self.places.levels[level][0]) else {
                    return Err(self.missing(level, "ptr"));
                };
                // Both pointers have one address with two offsets.
                self.count(Opcode::Shift, 1);
                self.count(Opcode::Add, 1);
                let mut ends = [0; 2];
                for (end, at) in ends.iter_mut().zip([parent, parent.saturating_add(1)]) {
                    let at = inside(P::LEVELS[level].pointer_name, at, ptr.len())?;
                    self.access(placed, at, false, true);
                    *end = i128::from(ptr.at(at));
                }
                Ok((ends[0], ends[1]))
            }
        }
    }

    /// Returns the coordinate of a level at a position.
    fn coordinate(&mut self, level: usize, at: &Expr) -> Result<i128, Error> {
        let position = self.address(at);
        let (Some(idx), placed) = (self.levels[level].idx, self.places.levels[level][1]) else {
            return Err(self.missing(level, "idx"));
        };
        let at = inside(P::LEVELS[level].name, position, idx.len())?;
        self.access(placed, at, false, true);
        Ok(i128::from(idx.at(at)))
    }

    fn missing(&self, level: usize, array: &str) -> Error {
        let name = P::LEVELS[level].name;
        Error::new(
            ErrorKind::Structure,
            name,
            None,
            format!("no `{array}` array"),
            "one, as the program reads it",
        )
    }

    /// Evaluates the place of an access, and counts the instructions that compute its address.
    fn address(&mut self, at: &Expr) -> i128 {
        if let Expr::Var(var) = *at {
            if self.is_position[var] {
                self.count(Opcode::Add, 1);
                return self.variables[var];
            }
        }
        let place = self.expr(at);
        self.count(Opcode::Shift, 1);
        self.count(Opcode::Add, 1);
        place
    }

    /// As `address`, but for registers there is none.
    fn place_of(&mut self, array: Array, at: &Expr) -> Result<i128, Error> {
        Ok(match array {
            Array::Sums => evaluate(at, &self.variables),
            Array::Values | Array::Dense(_) => self.address(at),
        })
    }

    /// Adds a value to a number.
    fn added(&mut self, before: T::Sum, value: &Value) -> Result<T::Sum, Error> {
        let value_of = self.value(value)?;
        let multiply = Opcode::ElementMultiply as usize;
        if matches!(value, Value::Product(factors) if factors.len() > 1) {
            // The last product and the addition are one instruction.
            self.counts[multiply] -= 1;
            self.count(Opcode::ElementMultiplyAdd, 1);
        } else {
            self.count(Opcode::ElementAdd, 1);
        }
        Ok(before.plus(value_of))
    }

    fn value(&mut self, value: &Value) -> Result<T::Sum, Error> {
        Ok(match value {
            Value::Load(array, at) => {
                let at = self.place_of(*array, at)?;
                self.read(*array, at)?
            }
            Value::Scalar(operand) => {
                let value = self.operands[*operand].first().copied().unwrap_or(T::ZERO);
                Accumulator::of(value)
            }
            Value::Bound(var) => self.elements[*var],
            Value::Product(values) => self.folded(values, Opcode::ElementMultiply, T::Sum::times, T::Sum::ONE)?,
            Value::Sum(values) => self.folded(values, Opcode::ElementAdd, T::Sum::plus, T::Sum::ZERO)?,
        })
    }

    fn folded(
        &mut self,
        values: &'static [Value],
        opcode: Opcode,
        both: fn(T::Sum, T::Sum) -> T::Sum,
        of_none: T::Sum,
    ) -> Result<T::Sum, Error> {
        let mut folded = None;
        for value in values {
            let value = self.value(value)?;
            folded = Some(match folded {
                None => value,
                Some(before) => {
                    self.count(opcode, 1);
                    both(before, value)
                }
            });
        }
        Ok(folded.unwrap_or(of_none))
    }

    fn holds(&mut self, condition: &Condition) -> Result<bool, Error> {
        Ok(match condition {
            Condition::Nonnegative(expr) => self.expr(expr) >= 0,
            Condition::Zero(expr) => self.expr(expr) == 0,
            Condition::Divisible(expr, divisor) => {
                self.count(Opcode::Divide, 1);
                let (value, divisor) = (self.expr(expr), self.expr(divisor).max(1));
                value.rem_euclid(divisor) == 0
            }
            Condition::Nonzero { array, at, negated } => {
                let at = self.place_of(*array, at)?;
                let value = self.read(*array, at)?;
                value.is_zero() == *negated
            }
        })
    }

    /// Moves a sum to an element.
    fn move_to(&mut self, array: Array, at: &Expr, offset: i128, store: bool, sum: T::Sum) -> Result<(), Error> {
        let at = self.place_of(array, at)?.saturating_add(offset);
        if store {
            return self.write(array, at, sum);
        }
        self.count(Opcode::ElementAdd, 1);
        let before = self.read(array, at)?;
        self.write(array, at, before.plus(sum))
    }

    fn read(&mut self, array: Array, at: i128) -> Result<T::Sum, Error> {
        match array {
            Array::Sums => {
                let at = inside("sums", at, self.tile.len())?;
                Ok(self.tile[at])
            }
            Array::Values => {
                let at = inside("values", at, self.part.stored())?;
                self.access(self.places.values, at, false, true);
                Ok(self.part.value(at).wide())
            }
            Array::Dense(operand) => {
                let elements = if operand == 0 {
                    &self.output.values[..]
                } else {
                    self.operands[operand]
                };
                let at = inside(self.kernel.operands[operand].name, at, elements.len())?;
                let element = elements[at];
                self.access(self.operand_places[operand], at, false, false);
                Ok(Accumulator::of(element))
            }
        }
    }

    fn write(&mut self, array: Array, at: i128, value: T::Sum) -> Result<(), Error> {
        match array {
            Array::Sums => {
                let at = inside("sums", at, self.tile.len())?;
                self.tile[at] = value;
            }
            Array::Values | Array::Dense(_) => {
                let at = inside(self.kernel.operands[0].name, at, self.output.values.len())?;
                self.access(self.operand_places[0], at, true, false);
                self.output.set(at, T::narrow(value));
            }
        }
        Ok(())
    }

    fn access(&mut self, placed: Placed, at: usize, write: bool, streamed: bool) {
        self.count(if write { Opcode::Store } else { Opcode::Load }, 1);
        self.memory.access(Access {
            array: placed.number,
            address: placed.address + placed.width * at as u64,
            bytes: placed.width,
            write,
            streamed,
        });
    }

    /// Evaluates an expression, and counts its instructions.
    fn expr(&mut self, expr: &Expr) -> i128 {
        self.count_expr(expr);
        evaluate(expr, &self.variables)
    }

    fn count_expr(&mut self, expr: &Expr) {
        let is_power = |expr: &Expr| matches!(expr, Expr::Int(number) if *number > 0 && number.count_ones() == 1);
        let (opcode, a, b) = match *expr {
            Expr::Int(_) | Expr::Var(_) => return,
            Expr::Add(a, b) | Expr::Sub(a, b) => (Opcode::Add, a, b),
            Expr::Mul(a, b) if is_power(a) || is_power(b) => (Opcode::Shift, a, b),
            Expr::Mul(a, b) => (Opcode::Multiply, a, b),
            Expr::Floor(a, b) | Expr::Ceil(a, b) if is_power(b) => (Opcode::Shift, a, b),
            Expr::Floor(a, b) | Expr::Ceil(a, b) => (Opcode::Divide, a, b),
        };
        self.count(opcode, 1);
        self.count_expr(a);
        self.count_expr(b);
    }
}

/// Returns a place as a number of an entry.
fn inside(name: &str, at: i128, len: usize) -> Result<usize, Error> {
    usize::try_from(at).ok().filter(|at| *at < len).ok_or_else(|| {
        Error::new(
            ErrorKind::OutOfBounds,
            name,
            None,
            format!("an access to entry {at}"),
            format!("one of {len} entries"),
        )
    })
}
