//! What a core reads, computes and writes: coordinates, elements and conditions on them.

use super::bank::Placed;
use super::core::Core;
use super::device::Opcode;
use super::evaluate::{inside, quotient};
use super::memory::{Access, Memory};
use super::program::{Array, Condition, Expr, Reduction, Value};
use crate::element::{Accumulator, Scalar, Stored};
use crate::error::{Error, ErrorKind};
use crate::format::Tree;

impl<P, T, M, A, const N: usize, const L: usize> Core<'_, P, T, M, A, N, L>
where
    P: Tree<N, L>,
    P::Scalar: Stored<Value = T>,
    T: Scalar,
    M: Memory,
{
    /// Returns the coordinate of a level at a position.
    pub(super) fn coordinate(&mut self, level: usize, at: &Expr) -> Result<i128, Error> {
        let (Some(idx), placed) = (self.levels[level].idx, self.places.levels[level][1]) else {
            return Err(self.missing(level, "idx"));
        };
        let position = self.address(at, placed.advances);
        let at = inside(P::LEVELS[level].name, position, idx.len())?;
        self.access(placed, at, false, true);
        Ok(i128::from(idx.at(at)))
    }

    pub(super) fn missing(&self, level: usize, array: &str) -> Error {
        let name = P::LEVELS[level].name;
        Error::new(
            ErrorKind::Structure,
            name,
            None,
            format!("no `{array}` array"),
            "one, as the program reads it",
        )
    }

    /// Adds a value to a number, or reduces both otherwise.
    pub(super) fn reduced(
        &mut self,
        reduction: Reduction<T::Sum>,
        before: T::Sum,
        value: &Value<T::Sum>,
    ) -> Result<T::Sum, Error> {
        let value_of = self.value(value)?;
        let multiply = Opcode::ElementMultiply as usize;
        if matches!(value, Value::Product(factors) if factors.len() > 1) {
            // The last product and the addition are one instruction.
            self.counts[multiply] -= 1;
            self.count(Opcode::ElementMultiplyAdd, 1);
        } else {
            self.count(Opcode::ElementAdd, 1);
        }
        Ok((reduction.both)(before, value_of))
    }

    pub(super) fn value(&mut self, value: &Value<T::Sum>) -> Result<T::Sum, Error> {
        Ok(match value {
            Value::Load(array, at) => {
                let at = self.place_of(*array, at);
                self.read(*array, at)?
            }
            Value::Scalar(operand) => {
                let value = self.operands[*operand].first().copied().unwrap_or(T::ZERO);
                Accumulator::of(value)
            }
            Value::Bound(var) => self.elements[*var],
            Value::Literal(number) => number(),
            Value::Coordinate(at, of) => {
                self.count(Opcode::Move, 1);
                of(self.expr(at) as i64)
            }
            Value::Negated(value, negated) => {
                self.count(Opcode::ElementAdd, 1);
                negated(self.value(value)?)
            }
            Value::Both(values, both) => self.folded(values, Opcode::ElementAdd, *both, T::Sum::ZERO)?,
            Value::Product(values) => self.folded(values, Opcode::ElementMultiply, T::Sum::times, T::Sum::ONE)?,
            Value::Sum(values) => self.folded(values, Opcode::ElementAdd, T::Sum::plus, T::Sum::ZERO)?,
        })
    }

    fn folded(
        &mut self,
        values: &'static [Value<T::Sum>],
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

    pub(super) fn holds(&mut self, condition: &Condition) -> Result<bool, Error> {
        Ok(match condition {
            Condition::Nonnegative(expr) => self.expr(expr) >= 0,
            Condition::Zero(expr) => self.expr(expr) == 0,
            Condition::Divisible(expr, divisor) => {
                self.count(quotient(divisor), 1);
                let (value, divisor) = (self.expr(expr), self.expr(divisor).max(1));
                value.rem_euclid(divisor) == 0
            }
            Condition::Nonzero { array, at, negated } => {
                let at = self.place_of(*array, at);
                let value = self.read(*array, at)?;
                value.is_zero() == *negated
            }
        })
    }

    /// Moves a sum to an element. What another part of the core wrote stays: a `store` then is an addition.
    pub(super) fn move_to(
        &mut self,
        (array, at, offset): (Array, &Expr, i128),
        store: bool,
        reduction: Reduction<T::Sum>,
        sum: T::Sum,
    ) -> Result<(), Error> {
        let at = self.place_of(array, at).saturating_add(offset);
        if store && !self.is_written(array, at) {
            return self.write(array, at, sum);
        }
        self.count(Opcode::ElementAdd, 1);
        let before = self.read(array, at)?;
        self.write(array, at, (reduction.both)(before, sum))
    }

    /// Whether a part of the core wrote this element of the output.
    pub(super) fn is_written(&self, array: Array, at: i128) -> bool {
        matches!(array, Array::Dense(_)) && usize::try_from(at).is_ok_and(|at| self.output.is_written(at))
    }

    pub(super) fn read(&mut self, array: Array, at: i128) -> Result<T::Sum, Error> {
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

    pub(super) fn write(&mut self, array: Array, at: i128, value: T::Sum) -> Result<(), Error> {
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

    pub(super) fn access(&mut self, placed: Placed, at: usize, write: bool, streamed: bool) {
        self.count(if write { Opcode::Store } else { Opcode::Load }, 1);
        self.memory.access(Access {
            array: placed.number,
            address: placed.address + placed.stride * at as u64,
            bytes: placed.width,
            write,
            streamed,
        });
    }
}
