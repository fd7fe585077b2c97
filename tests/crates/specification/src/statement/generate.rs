//! Random statements.

use std::collections::BTreeSet;

use super::super::generator::Random;
use super::{Access, FUNCTIONS, INDICES, Mask, Reduction, Statement, Value};

/// The operations that the elements of a statement have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algebra {
    /// All operators and reductions.
    Integers,
    /// No `&`, `|`.
    Reals,
    /// Neither `&`, `|` nor an order.
    Complex,
    /// `&`, `|` and their reductions.
    Booleans,
    /// `+`, `*`, `min=`, `max=`.
    Semiring,
}

impl Algebra {
    fn has_bits(self) -> bool {
        matches!(self, Algebra::Integers | Algebra::Booleans)
    }

    fn has_sums(self) -> bool {
        self != Algebra::Booleans
    }

    /// Literals, unary minus.
    fn has_numbers(self) -> bool {
        matches!(self, Algebra::Integers | Algebra::Reals | Algebra::Complex)
    }

    fn reductions(self) -> &'static [Reduction] {
        use Reduction::{And, Max, Min, Or, Plus, Set};
        match self {
            Algebra::Integers => &[Set, Set, Set, Set, Plus, Plus, Min, Max, Or, And],
            Algebra::Reals => &[Set, Set, Set, Plus, Plus, Min, Max],
            Algebra::Complex => &[Set, Set, Plus],
            Algebra::Booleans => &[Or, Or, Or, And],
            Algebra::Semiring => &[Set, Plus, Min, Max],
        }
    }
}

/// The operands that a statement may read, each with its number of indices.
struct Scope {
    random: Random,
    algebra: Algebra,
    indices: usize,
    operands: Vec<(&'static str, usize)>,
}

/// The maximum number of reads in one statement.
const MOST_READS: usize = 6;
/// The maximum number of sparse operands that loops co-iterate.
const MOST_SPARSE_READS: usize = 4;

/// A statement, legal or not.
pub fn draft(random: Random, algebra: Algebra) -> Statement {
    Scope::new(random, algebra).statement()
}

/// A legal statement.
pub fn statement(random: Random, algebra: Algebra) -> Statement {
    let mut scope = Scope::new(random, algebra);
    loop {
        let drawn = scope.statement();
        let sparse = drawn.reads().iter().filter(|read| drawn.is_sparse(read.name)).count();
        if drawn.reads().len() <= MOST_READS && sparse <= MOST_SPARSE_READS && drawn.is_legal() {
            return drawn;
        }
    }
}

const SPARSE: [&str; 3] = ["A", "B", "D"];
const DENSE: [&str; 3] = ["u", "v", "w"];
const SCALARS: [&str; 2] = ["p", "q"];

impl Scope {
    fn new(random: Random, algebra: Algebra) -> Self {
        Scope {
            random,
            algebra,
            indices: 2,
            operands: Vec::new(),
        }
    }

    fn statement(&mut self) -> Statement {
        self.indices = [2, 2, 3, 3, 3, 4][self.random.below(6)];
        self.operands = SPARSE
            .iter()
            .map(|&name| (name, [1, 2, 2, 2, 2, 3][self.random.below(6)]))
            .collect();
        self.operands
            .extend(DENSE.iter().zip(1..).map(|(&name, rank)| (name, rank)));
        let all: Vec<usize> = (0..self.indices).collect();
        let (name, rank) = match self.random.below(10) {
            0..=3 => ("y", 1 + self.random.below(self.indices.min(3))),
            4..=7 => ("R", [1, 2, 2, 2, 3][self.random.below(5)].min(self.indices)),
            _ => ("s", 0),
        };
        let output = Access {
            name,
            indices: self.shuffled(&all)[..rank].to_vec(),
        };
        let reduction = self.random.any(self.algebra.reductions());
        let depth = 1 + self.random.below(3);
        let value = self.value(&output.indices, depth);
        let mask = self.random.one_in(4).then(|| {
            let of_output = if output.indices.is_empty() {
                &all
            } else {
                &output.indices
            };
            let count = 1 + self.random.below(of_output.len().min(3));
            let indices = self.shuffled(of_output)[..count].to_vec();
            Mask {
                access: Access {
                    name: if self.random.one_in(2) { "M" } else { "m" },
                    indices,
                },
                negated: self.random.one_in(2),
            }
        });
        let mut sparse = vec!["R", "M"];
        sparse.extend(SPARSE);
        let mut statement = Statement {
            output,
            reduction,
            value,
            mask,
            sparse: Vec::new(),
        };
        let named =
            |name: &&str| statement.output.name == *name || statement.reads().iter().any(|read| read.name == *name);
        sparse.retain(named);
        statement.sparse = sparse;
        // A name that is in no brackets would be a scalar.
        let indexed = statement.indexed();
        statement.value.only_indices(&indexed);
        statement
    }

    /// A value that has these indices, and maybe others.
    fn value(&mut self, needed: &[usize], depth: usize) -> Value {
        if depth == 0 {
            return self.leaf(needed);
        }
        let (bits, sums) = (self.algebra.has_bits(), self.algebra.has_sums());
        match self.random.below(20) {
            0..=5 if sums => Value::Sum(self.several(needed, depth)),
            0..=3 if bits => Value::Or(self.several(needed, depth)),
            6 if self.algebra.has_numbers() => Value::Negated(Box::new(self.value(needed, depth - 1))),
            7 | 8 => {
                let function = self.random.below(FUNCTIONS.len());
                let parts = self.divided(needed, FUNCTIONS[function].1, depth);
                Value::Call(function, parts)
            }
            9 if bits => Value::Or(self.several(needed, depth)),
            10..=11 if bits => {
                let count = 2 + self.random.below(2);
                Value::And(self.divided(needed, count, depth))
            }
            12..=18 => {
                let count = [2, 2, 3][self.random.below(3)];
                let parts = self.divided(needed, count, depth);
                if sums { Value::Product(parts) } else { Value::And(parts) }
            }
            _ => self.leaf(needed),
        }
    }

    /// Terms that have the indices, except that one of them may lack some.
    fn several(&mut self, needed: &[usize], depth: usize) -> Vec<Value> {
        let count = [2, 2, 3][self.random.below(3)];
        let partial = self.random.one_in(4).then(|| self.random.below(count));
        let terms = (0..count).map(|at| {
            let kept = if partial == Some(at) {
                self.random.below(needed.len() + 1)
            } else {
                needed.len()
            };
            let term = self.value(&needed[..kept], depth - 1);
            if self.algebra.has_numbers() && self.random.one_in(4) {
                Value::Negated(Box::new(term))
            } else {
                term
            }
        });
        terms.collect()
    }

    /// Factors whose reads have all of the indices between them.
    fn divided(&mut self, needed: &[usize], count: usize, depth: usize) -> Vec<Value> {
        let mut divided = vec![Vec::new(); count];
        for &index in needed {
            let (one, other) = (self.random.below(count), self.random.below(count));
            divided[one].push(index);
            if one != other && self.random.one_in(3) {
                divided[other].push(index);
            }
        }
        divided.iter().map(|needed| self.value(needed, depth - 1)).collect()
    }

    fn leaf(&mut self, needed: &[usize]) -> Value {
        // The coordinate of a needed index, or of any index.
        if self.algebra.has_numbers() && needed.len() <= 1 && self.random.one_in(8) {
            return Value::Index(
                needed
                    .first()
                    .copied()
                    .unwrap_or_else(|| self.random.below(self.indices)),
            );
        }
        if needed.is_empty() && self.random.one_in(3) {
            return if self.algebra.has_numbers() && self.random.one_in(2) {
                Value::Literal(1 + self.random.below(4) as i64)
            } else {
                let name = self.random.any(&SCALARS);
                Value::Read(Access {
                    name,
                    indices: Vec::new(),
                })
            };
        }
        let fits = |(_, rank): &&(&str, usize)| *rank >= needed.len();
        let mut fitting: Vec<(&'static str, usize)> = self.operands.iter().filter(fits).copied().collect();
        // Sparse operands are preferred.
        fitting.extend(fitting.clone().iter().filter(|(name, _)| SPARSE.contains(name)));
        let (name, rank) = self.random.any(&fitting);
        let mut indices = needed.to_vec();
        while indices.len() < rank {
            // Indices are repeated sometimes.
            let index = self.random.below(self.indices);
            if !indices.contains(&index) || self.random.one_in(3) || indices.len() >= self.indices {
                indices.push(index);
            }
        }
        Value::Read(Access {
            name,
            indices: self.shuffled(&indices),
        })
    }

    fn shuffled(&mut self, indices: &[usize]) -> Vec<usize> {
        let mut shuffled = indices.to_vec();
        for at in (1..shuffled.len()).rev() {
            shuffled.swap(at, self.random.below(at + 1));
        }
        debug_assert!(shuffled.iter().all(|&index| index < INDICES.len()));
        shuffled
    }
}

impl Value {
    /// Replaces an index that is none of these by a number.
    fn only_indices(&mut self, indices: &BTreeSet<usize>) {
        match self {
            Value::Index(index) if !indices.contains(index) => *self = Value::Literal(2),
            Value::Read(_) | Value::Literal(_) | Value::Index(_) => {}
            Value::Negated(inner) => inner.only_indices(indices),
            Value::Sum(parts)
            | Value::Product(parts)
            | Value::Or(parts)
            | Value::And(parts)
            | Value::Call(_, parts) => parts.iter_mut().for_each(|part| part.only_indices(indices)),
        }
    }
}
