//! What a check reads of a tensor: only this is compiled for each format. Loops stand where `map` would compile ten functions for each.

use super::difference::{differing_array, differs};
use crate::array::Domain;
use crate::element::Stored;
use crate::error::{Error, ErrorKind};
use crate::format::{Level, LevelArrays, Tree};
use crate::limit::Limit;
use crate::source::{Duplicates, Elements};
use crate::tensor::SparseTensor;
use crate::triplets::Triplets;

/// A tensor in any format.
pub(super) trait Checked {
    /// Returns the levels.
    fn levels(&self) -> &'static [Level];

    /// Returns whether a zero may stand for no element.
    fn has_holes(&self) -> bool;

    /// Returns the domain of each level.
    fn domains(&self) -> Result<Vec<Domain>, Error>;

    /// Returns the arrays of each level.
    fn arrays(&self) -> Vec<LevelArrays<'_>>;

    /// Visits the positions of coordinates inside the shape in storage order. Where `invariant` is a level that is invariant over some
    /// levels above, the positions in its `idx` array are visited with them.
    ///
    /// # Errors
    /// `Structure` if another position is not zero.
    fn visit(&self, invariant: Option<usize>, visit: &mut dyn FnMut(&Position<'_>)) -> Result<(), Error>;
}

/// A position of a tensor's last level.
pub(super) struct Position<'v> {
    pub(super) position: usize,
    /// The level coordinates.
    pub(super) levels: &'v [i64],
    pub(super) coordinate: &'v [usize],
    /// The position on each level.
    pub(super) path: &'v [usize],
    /// The position in the `idx` array of the invariant level.
    pub(super) invariant: Option<usize>,
    /// Whether the value is a zero that may stand for no element.
    pub(super) is_zero: bool,
}

/// A tensor in the format `F`.
pub(super) struct Of<'t, F, const N: usize, const M: usize>(pub(super) &'t F);

impl<F: Tree<N, M>, const N: usize, const M: usize> Checked for Of<'_, F, N, M> {
    fn levels(&self) -> &'static [Level] {
        const { &F::LEVELS }
    }

    fn has_holes(&self) -> bool {
        F::HOLES
    }

    fn domains(&self) -> Result<Vec<Domain>, Error> {
        match F::domains(self.0.shape(), &self.0.sizes()) {
            Ok(domains) => Ok(domains.to_vec()),
            Err(error) => Err(error),
        }
    }

    fn arrays(&self) -> Vec<LevelArrays<'_>> {
        self.0.arrays().to_vec()
    }

    fn visit(&self, invariant: Option<usize>, visit: &mut dyn FnMut(&Position<'_>)) -> Result<(), Error> {
        let mut elements = Elements::new(self.0);
        while let Some((position, levels, coordinate)) = elements.next_position() {
            match coordinate {
                Some(coordinate) => visit(&Position {
                    position,
                    levels: &levels,
                    coordinate: &coordinate,
                    path: &elements.path(),
                    invariant: match invariant {
                        Some(level) => elements.invariant_position(level),
                        None => None,
                    },
                    is_zero: F::HOLES && self.0.value(position).reads_zero(),
                }),
                None if self.0.value(position).reads_zero() => {}
                None => return Err(outside(position, format!("{:?}", self.0.value(position)))),
            }
        }
        Ok(())
    }
}

/// Returns the error for a value at a position without a coordinate inside the shape.
#[cold]
fn outside(position: usize, value: String) -> Error {
    Error::new(
        ErrorKind::Structure,
        "`values`",
        Some(position),
        value,
        "zero: the position stands for no coordinate inside the shape",
    )
}

/// A tensor in any format with queries, which its elements can assemble to again.
pub(super) trait Rebuilt: Checked {
    /// Assembles elements, the coordinate and the position of each, and returns an error for the first array entry in which the tensor differs. If it does, `visit` gets the
    /// other tensor.
    ///
    /// # Errors
    /// Those of assembly.
    fn compare(
        &self,
        elements: &[(&[usize], usize)],
        visit: &mut dyn FnMut(&dyn Checked),
    ) -> Result<Option<Error>, Error>;
}

impl<F, const N: usize, const M: usize> Rebuilt for Of<'_, F, N, M>
where
    F: Tree<N, M> + SparseTensor<N, Scalar = <F as Tree<N, M>>::Scalar>,
{
    fn compare(
        &self,
        elements: &[(&[usize], usize)],
        visit: &mut dyn FnMut(&dyn Checked),
    ) -> Result<Option<Error>, Error> {
        let rebuilt = rebuild(self.0, elements)?;
        let (found, expected) = (
            (&self.0.sizes()[..], &self.0.arrays()[..]),
            (&rebuilt.sizes()[..], &rebuilt.arrays()[..]),
        );
        let difference = match differing_array(const { &F::LEVELS }, found, expected) {
            Some(error) => Some(error),
            None => differing_value(self.0, &rebuilt),
        };
        if difference.is_some() {
            visit(&Of(&rebuilt));
        }
        Ok(difference)
    }
}

/// Assembles a tensor of the shape of `tensor` with its values at some positions, each at a coordinate.
fn rebuild<F, const N: usize, const M: usize>(tensor: &F, elements: &[(&[usize], usize)]) -> Result<F, Error>
where
    F: Tree<N, M> + SparseTensor<N, Scalar = <F as Tree<N, M>>::Scalar>,
{
    let (shape, count) = (Tree::shape(tensor), elements.len());
    let mut triplets = Triplets::with_capacity(shape, count).duplicates(Duplicates::Reject);
    for &(coordinate, position) in elements {
        let mut at = [0; N];
        at.copy_from_slice(coordinate);
        triplets.push(at, tensor.value(position))?;
    }
    // The tensor's own size is allowed, as its arrays exist already; a large shape alone cannot raise the limit further.
    let allowed = Limit::default().allowed(count, size_of::<<F as Tree<N, M>>::Scalar>(), &shape);
    F::assemble(&triplets, Limit::bytes(allowed.max(tensor.bytes() as u128)))
}

/// Returns an error for the first value in which `found` differs from `expected`.
fn differing_value<F: Tree<N, M>, const N: usize, const M: usize>(found: &F, expected: &F) -> Option<Error> {
    for at in 0..found.stored() {
        let (left, right) = (found.value(at), expected.value(at));
        // NaN is not equal to itself, but counts as the same value here.
        if left != right && !(left.ne(&left) && right.ne(&right)) {
            let (found, expected) = (format!("{left:?}"), format!("{right:?}"));
            return Some(differs("`values`", Some(at), found, expected));
        }
    }
    None
}
