//! Executes the program of one core: computes the values, counts the instructions, and reports each access to memory.
//!
//! Instructions are counted as a compiler for a scalar machine emits them: an access at the position of a loop over entries
//! is a load and the advance of a pointer; any other is a shift and an addition for its address, and a load; a loop adds a
//! branch for each iteration. Sums are in registers. The inner loop of compressed rows then has the nine instructions that
//! GCC 12 emits for RV64GC.

use super::bank::{PartArrays, Placed};
use super::device::{Counts, Opcode};
use super::evaluate::{inside, quotient};
use super::memory::Memory;
use super::program::{Array, Expr, Kernel, Lvalue, Reduction, Segment, Stmt, Value};
use super::written::Written;
use crate::element::{Scalar, Stored};
use crate::error::Error;
use crate::format::{LevelArrays, Tree};

/// The elements of a tile, which are in registers: half of the 32 of RV64GC.
const TILE: i128 = 16;

/// A core that executes a program over one part.
pub(super) struct Core<'a, P, T: Scalar, M, A, const N: usize, const L: usize> {
    pub(super) kernel: &'a Kernel<A, T::Sum>,
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
    /// Whether a variable is the position of a loop over entries.
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

    fn block(&mut self, block: &'static [Stmt<T::Sum>]) -> Result<(), Error> {
        block.iter().try_for_each(|stmt| self.statement(stmt))
    }

    fn statement(&mut self, stmt: &'static Stmt<T::Sum>) -> Result<(), Error> {
        match *stmt {
            Stmt::Range { .. } => self.range(stmt)?,
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
                place,
                reduction,
                value,
            } => self.accumulate(&place, reduction, &value)?,
            Stmt::Sum {
                body,
                reduction,
                array,
                at,
                store,
            } => {
                self.count(Opcode::Move, 1);
                let outer = std::mem::replace(&mut self.sum, reduction.identity);
                self.block(body)?;
                let sum = std::mem::replace(&mut self.sum, outer);
                self.move_to((array, &at, 0), store, reduction, sum)?;
            }
            Stmt::Fill { array, at, count } => self.fill(array, &at, &count)?,
        }
        Ok(())
    }

    fn range(&mut self, stmt: &'static Stmt<T::Sum>) -> Result<(), Error> {
        let &Stmt::Range {
            var,
            natural,
            lows,
            highs,
            ref stride,
            body,
        } = stmt
        else {
            return Ok(());
        };
        let (mut low, high) = self.bounds(natural, lows, highs);
        let step = match stride {
            Some((residue, modulus)) => {
                self.count(quotient(modulus), 1);
                let (residue, modulus) = (self.expr(residue), self.expr(modulus).max(1));
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
        Ok(())
    }

    fn accumulate(&mut self, place: &Lvalue, reduction: Reduction<T::Sum>, value: &Value<T::Sum>) -> Result<(), Error> {
        match *place {
            Lvalue::Sum => self.sum = self.reduced(reduction, self.sum, value)?,
            Lvalue::Element(array, ref at) => {
                let at = self.place_of(array, at);
                let before = self.read(array, at)?;
                let after = self.reduced(reduction, before, value)?;
                self.write(array, at, after)?;
            }
        }
        Ok(())
    }

    /// Sets neighbours to zero, but for those that another part of the core wrote.
    fn fill(&mut self, array: Array, at: &Expr, count: &Expr) -> Result<(), Error> {
        let (first, count) = (self.expr(at), self.expr(count));
        for at in 0..count.max(0) {
            self.count(Opcode::Add, 1);
            self.count(Opcode::Branch, 1);
            let at = first.saturating_add(at);
            if !self.is_written(array, at) {
                self.write(array, at, T::Sum::ZERO)?;
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

    fn tiles(&mut self, stmt: &'static Stmt<T::Sum>) -> Result<(), Error> {
        let &Stmt::Tiles {
            var,
            width,
            lows,
            highs,
            array,
            at,
            store,
            reduction,
            body,
        } = stmt
        else {
            return Ok(());
        };
        let (mut low, high) = self.bounds(true, lows, highs);
        while low < high {
            let wide = TILE.min(high - low);
            (self.variables[var], self.variables[width]) = (low, wide);
            let outer = std::mem::replace(&mut self.tile, vec![reduction.identity; wide as usize]);
            self.count(Opcode::Move, wide as u64);
            self.block(body)?;
            let sums = std::mem::replace(&mut self.tile, outer);
            for (offset, sum) in (0..).zip(sums) {
                self.move_to((array, &at, offset), store, reduction, sum)?;
            }
            self.count(Opcode::Add, 1);
            self.count(Opcode::Branch, 1);
            low += wide;
        }
        Ok(())
    }

    fn entries(&mut self, stmt: &'static Stmt<T::Sum>) -> Result<(), Error> {
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
        // The pointers of the arrays that the loop reads, and the test whether there is an entry.
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
            Segment::All => match self.levels[level].idx {
                Some(idx) => Ok((0, idx.len() as i128)),
                None => Err(self.missing(level, "idx")),
            },
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
}
