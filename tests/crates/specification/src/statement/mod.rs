//! Kernel statements implemented a second time: random ones, evaluated coordinate by coordinate as docs/LANGUAGE.md defines.

mod evaluate;
mod formats;
mod generate;
mod integers;
mod legal;
mod simpler;

use std::fmt;

pub use evaluate::{Element, Elements, Operands, evaluate, start, updated};
pub use formats::format;
pub use generate::{Algebra, draft, statement};

/// The names of indices.
const INDICES: [&str; 4] = ["i", "j", "k", "l"];

/// The functions that statements call, with their numbers of arguments; each type of elements has its own.
pub const FUNCTIONS: [(&str, usize); 2] = [("curve", 1), ("blend", 2)];

/// One read of an operand, or the left side; a scalar has no indices.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Access {
    pub name: &'static str,
    /// By number: `i`, `j`, `k`, `l`.
    pub indices: Vec<usize>,
}

/// A right side.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Read(Access),
    Literal(i64),
    /// The coordinate of an index, by number: `i`, `j`, `k`, `l`.
    Index(usize),
    Negated(Box<Value>),
    Sum(Vec<Value>),
    Product(Vec<Value>),
    Or(Vec<Value>),
    And(Vec<Value>),
    /// By number in [`FUNCTIONS`].
    Call(usize, Vec<Value>),
}

/// The operation that combines results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    Set,
    Plus,
    Min,
    Max,
    Or,
    And,
}

/// Coordinates that are skipped: those where the operand is zero, or is not zero if negated.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    pub access: Access,
    pub negated: bool,
}

/// `y[i] += A[i, j] * x[j] if !m[i] where A: ..`
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    pub output: Access,
    pub reduction: Reduction,
    pub value: Value,
    pub mask: Option<Mask>,
    /// The sparse operands, including a sparse output.
    pub sparse: Vec<&'static str>,
}

impl Value {
    fn parts(&self) -> &[Value] {
        match self {
            Value::Read(_) | Value::Literal(_) | Value::Index(_) => &[],
            Value::Negated(inner) => std::slice::from_ref(&**inner),
            Value::Sum(parts)
            | Value::Product(parts)
            | Value::Or(parts)
            | Value::And(parts)
            | Value::Call(_, parts) => parts,
        }
    }

    /// All reads, in the order written.
    pub fn reads(&self) -> Vec<&Access> {
        match self {
            Value::Read(access) => vec![access],
            _ => self.parts().iter().flat_map(Value::reads).collect(),
        }
    }

    /// All indices that it depends on, some more than once.
    pub fn indices(&self) -> Vec<usize> {
        match self {
            Value::Read(access) => access.indices.clone(),
            Value::Index(index) => vec![*index],
            _ => self.parts().iter().flat_map(Value::indices).collect(),
        }
    }
}

impl Statement {
    pub fn is_sparse(&self, name: &str) -> bool {
        self.sparse.contains(&name)
    }

    /// Returns all reads, with the mask last.
    pub fn reads(&self) -> Vec<&Access> {
        let mask = self.mask.iter().map(|mask| &mask.access);
        self.value.reads().into_iter().chain(mask).collect()
    }

    /// The first read of each operand, in order of appearance.
    pub fn inputs(&self) -> Vec<&Access> {
        let mut inputs: Vec<&Access> = Vec::new();
        for read in self.reads() {
            if !inputs.iter().any(|known| known.name == read.name) {
                inputs.push(read);
            }
        }
        inputs
    }

    /// For each index, the first one that has the same extent: indices that read one dim of one operand.
    pub fn classes(&self) -> [usize; INDICES.len()] {
        let mut classes = [0, 1, 2, 3];
        for _ in INDICES {
            for (at, read) in self.reads().iter().enumerate() {
                for other in self.reads()[..at].iter().filter(|other| other.name == read.name) {
                    for (&one, &other) in read.indices.iter().zip(&other.indices) {
                        let first = classes[one].min(classes[other]);
                        (classes[one], classes[other]) = (first, first);
                    }
                }
            }
        }
        classes
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Access { name, indices } = self;
        let indices: Vec<&str> = indices.iter().map(|&index| INDICES[index]).collect();
        match indices.as_slice() {
            [] => write!(f, "{name}"),
            indices => write!(f, "{name}[{}]", indices.join(", ")),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = |value: &Value| match value {
            Value::Read(_) | Value::Literal(_) | Value::Index(_) | Value::Call(..) => value.to_string(),
            _ => format!("({value})"),
        };
        let joined = |parts: &[Value], operator: &str| parts.iter().map(inner).collect::<Vec<_>>().join(operator);
        match self {
            Value::Read(access) => write!(f, "{access}"),
            Value::Literal(number) => write!(f, "{number}"),
            Value::Index(index) => write!(f, "{}", INDICES[*index]),
            Value::Negated(value) => write!(f, "-{}", inner(value)),
            Value::Sum(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    match part {
                        Value::Negated(part) if at > 0 => write!(f, " - {}", inner(part))?,
                        part if at > 0 => write!(f, " + {}", inner(part))?,
                        part => write!(f, "{}", inner(part))?,
                    }
                }
                Ok(())
            }
            Value::Product(parts) => write!(f, "{}", joined(parts, " * ")),
            Value::Or(parts) => write!(f, "{}", joined(parts, " | ")),
            Value::And(parts) => write!(f, "{}", joined(parts, " & ")),
            Value::Call(function, parts) => {
                let parts: Vec<String> = parts.iter().map(Value::to_string).collect();
                write!(f, "{}({})", FUNCTIONS[*function].0, parts.join(", "))
            }
        }
    }
}

/// Without the `where` clause.
impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operator = match self.reduction {
            Reduction::Set => "=",
            Reduction::Plus => "+=",
            Reduction::Min => "min=",
            Reduction::Max => "max=",
            Reduction::Or => "|=",
            Reduction::And => "&=",
        };
        write!(f, "{} {operator} {}", self.output, self.value)?;
        match &self.mask {
            None => Ok(()),
            Some(Mask { access, negated }) => write!(f, " if {}{access}", if *negated { "!" } else { "" }),
        }
    }
}
