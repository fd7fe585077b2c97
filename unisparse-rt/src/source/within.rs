//! The elements of a tensor in a box of coordinates.

use core::ops::Range;

use super::Elements;
use crate::format::{Atom, Form, Tree};

/// The elements of a tensor whose coordinates lie in a range for each dim, in storage order, without holes.
///
/// A level is searched for the coordinates that elements of the box may have there: dense levels in `O(1)` below each node above,
/// levels with an `idx` array in `O(log n)`. Levels that depend on a query, and levels whose coordinate another level
/// determines, are visited as a whole.
pub struct Within<'a, F: Tree<N, M>, const N: usize, const M: usize> {
    elements: Elements<'a, F, N, M>,
    ranges: [Range<usize>; N],
}

impl<'a, F: Tree<N, M>, const N: usize, const M: usize> Within<'a, F, N, M> {
    /// Iterates over the elements in a box, which may reach beyond the shape.
    #[must_use]
    pub fn new(tensor: &'a F, mut ranges: [Range<usize>; N]) -> Self {
        for (range, extent) in ranges.iter_mut().zip(tensor.shape()) {
            range.end = range.end.min(extent);
        }
        let elements = match ranges.iter().any(Range::is_empty) {
            true => Elements::none(tensor),
            false => Elements::new(tensor).between(bounds::<F, N, M>(&ranges)),
        };
        Within { elements, ranges }
    }
}

impl<F: Tree<N, M>, const N: usize, const M: usize> Iterator for Within<'_, F, N, M> {
    type Item = ([usize; N], F::Scalar);

    fn next(&mut self) -> Option<Self::Item> {
        let inside = |at: &[usize; N]| self.ranges.iter().zip(at).all(|(range, at)| range.contains(at));
        self.elements.by_ref().find(|(at, _)| inside(at))
    }
}

/// Returns the least and the greatest coordinate of each level in a box that is not empty; `None` if they are not known.
fn bounds<F: Tree<N, M>, const N: usize, const M: usize>(ranges: &[Range<usize>; N]) -> [Option<[i64; 2]>; M] {
    let ends = ranges
        .each_ref()
        .map(|range| [range.start, range.end - 1].map(|end| end as i128));
    core::array::from_fn(|level| {
        let found = extremes(&F::ENCODINGS[0].levels[level].form, &ends)?;
        Some(found.map(|end| end.clamp(i64::MIN.into(), i64::MAX.into()) as i64))
    })
}

/// Returns the least and the greatest value of a form over a box, or numbers beyond these; `None` if it depends on a query.
fn extremes(form: &Form, ends: &[[i128; 2]]) -> Option<[i128; 2]> {
    let constant = i128::from(form.constant);
    form.terms
        .iter()
        .try_fold([constant; 2], |[low, high], &(atom, factor)| {
            let [least, greatest] = match atom {
                Atom::Dim(dim) => ends[dim],
                Atom::Query(_) => return None,
                Atom::Quotient(inner, divisor) => extremes(inner, ends)?.map(|end| end.div_euclid(divisor.into())),
            };
            let (least, greatest) = (least.checked_mul(factor.into())?, greatest.checked_mul(factor.into())?);
            Some([
                low.checked_add(least.min(greatest))?,
                high.checked_add(least.max(greatest))?,
            ])
        })
}
