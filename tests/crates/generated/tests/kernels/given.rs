//! The operands and the result of a kernel.

use std::borrow::Cow;

use super::statement::{Access, Element, Elements, Operands, Statement};
use unisparse::{Dense, DenseMut, Error, Limit, Scalar, Source, SparseTensor, Triplets};

/// The maximum bytes of a tensor; larger ones are skipped.
const LIMIT: Limit = Limit::bytes(1 << 20);

/// The operands of a statement.
pub(crate) struct Given<T> {
    pub(crate) statement: Statement,
    /// The extent of each index.
    pub(crate) extents: Vec<usize>,
    pub(crate) operands: Operands<T>,
    /// The contents of a dense output before the call.
    pub(crate) before: Elements<T>,
}

/// The result of a kernel.
pub(crate) struct Found<T> {
    pub(crate) elements: Elements<T>,
    /// Whether a zero is not distinguished from a hole.
    pub(crate) may_have_holes: bool,
}

/// A dense operand with a shape.
pub(crate) struct Shaped<T> {
    shape: Vec<usize>,
    elements: Vec<T>,
}

impl<T: Clone> Dense<T> for Shaped<T> {
    fn extents(&self) -> Option<&[usize]> {
        Some(&self.shape)
    }

    fn elements(&self) -> Cow<'_, [T]> {
        Cow::Borrowed(&self.elements)
    }

    fn len(&self) -> usize {
        self.elements.len()
    }
}

impl<T: Clone> DenseMut<T> for Shaped<T> {
    fn write<R>(&mut self, write: impl FnOnce(&mut [T]) -> R) -> R {
        write(&mut self.elements)
    }
}

impl<T: Element + Scalar> Given<T> {
    fn shape(&self, access: &Access) -> Vec<usize> {
        access.indices.iter().map(|&index| self.extents[index]).collect()
    }

    fn shape_of(&self, name: &str) -> Vec<usize> {
        let inputs = self.statement.inputs();
        let access = inputs.into_iter().find(|access| access.name == name);
        self.shape(access.expect("an operand"))
    }

    pub(crate) fn scalar(&self, name: &str) -> T {
        self.operands[name][&Vec::new()]
    }

    pub(crate) fn dense(&self, name: &str) -> Shaped<T> {
        Shaped {
            shape: self.shape_of(name),
            elements: self.operands[name].values().copied().collect(),
        }
    }

    pub(crate) fn sparse<F: SparseTensor<N, Scalar = T>, const N: usize>(&self, name: &str) -> Result<F, Error> {
        let shape: [usize; N] = self.shape_of(name).try_into().expect("the dims");
        let elements = self.operands[name].iter();
        let elements = elements.map(|(at, &value)| (at[..].try_into().expect("the dims"), value));
        Triplets::try_from_triplets(shape, elements)?.convert_within(LIMIT)
    }

    pub(crate) fn before(&self) -> Shaped<T> {
        Shaped {
            shape: self.shape(&self.statement.output),
            elements: self.before.values().copied().collect(),
        }
    }
}

impl<T: Scalar> Found<T> {
    pub(crate) fn of<F: Source<N, Scalar = T>, const N: usize>(tensor: &F, may_have_holes: bool) -> Self {
        let mut elements = Elements::new();
        tensor.for_each(|at, value| {
            let before = elements.insert(at.to_vec(), value);
            assert!(before.is_none(), "an element twice at {at:?}");
        });
        Found {
            elements,
            may_have_holes,
        }
    }

    pub(crate) fn total(total: T) -> Self {
        Found {
            elements: Elements::from([(Vec::new(), total)]),
            may_have_holes: false,
        }
    }

    pub(crate) fn dense(Shaped { shape, elements }: Shaped<T>) -> Self {
        let coordinate = |number: usize| {
            let (mut at, mut rest) = (vec![0; shape.len()], number);
            for dim in (0..shape.len()).rev() {
                (at[dim], rest) = (rest % shape[dim], rest / shape[dim]);
            }
            at
        };
        let elements = elements.into_iter().enumerate();
        Found {
            elements: elements.map(|(number, value)| (coordinate(number), value)).collect(),
            may_have_holes: false,
        }
    }
}
