//! The positions and elements of a tensor in a box of coordinates.

use core::ops::Range;

use super::Elements;
use crate::element::Stored;
use crate::format::{Atom, Encoding, Form, Kind, Tree};

/// The positions of a tensor whose coordinates lie in a range for each dim, in storage order.
///
/// A level is searched for the coordinates that elements of the box may have there: dense levels in `O(1)` below each node above,
/// levels with an `idx` array in `O(log n)`. Levels that depend on a query, and levels whose coordinate another level
/// determines, are visited as a whole.
pub struct Within<'a, F: Tree<N, M>, const N: usize, const M: usize> {
    tensor: &'a F,
    elements: Elements<'a, F, N, M>,
    ranges: [Range<usize>; N],
    /// Whether positions that hold no element are visited.
    holes: bool,
}

impl<'a, F: Tree<N, M>, const N: usize, const M: usize> Within<'a, F, N, M> {
    /// Iterates over the positions of elements in a box, which may reach beyond the shape. With `holes`, also over those of
    /// holes where an element with the coordinate of the position would be stored.
    #[must_use]
    pub fn new(tensor: &'a F, mut ranges: [Range<usize>; N], holes: bool) -> Self {
        for (range, extent) in ranges.iter_mut().zip(tensor.shape()) {
            range.end = range.end.min(extent);
        }
        let elements = match ranges.iter().any(Range::is_empty) {
            true => Elements::none(tensor),
            false => Elements::new(tensor).between(bounds::<F, N, M>(&ranges)),
        };
        let holes = holes && holes_have_coordinates::<F, N, M>();
        Within {
            tensor,
            elements,
            ranges,
            holes,
        }
    }

    /// Iterates over the elements instead of their positions.
    pub fn elements(self) -> impl Iterator<Item = ([usize; N], F::Scalar)> + 'a {
        let tensor = self.tensor;
        self.map(|(at, position)| (at, tensor.value(position)))
    }
}

impl<F: Tree<N, M>, const N: usize, const M: usize> Iterator for Within<'_, F, N, M> {
    type Item = ([usize; N], usize);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (position, _, at) = self.elements.next_position()?;
            let is_element = || !F::HOLES || !self.tensor.value(position).reads_zero();
            match at {
                Some(at) if !self.ranges.iter().zip(&at).all(|(range, at)| range.contains(at)) => {}
                Some(at) if self.holes || is_element() => return Some((at, position)),
                _ => {}
            }
        }
    }
}

/// Returns whether the position of every hole has the coordinate of the element that would be stored there. A query may place
/// elements by other elements, and a level beside holes holds coordinates that stand for none.
fn holes_have_coordinates<F: Tree<N, M>, const N: usize, const M: usize>() -> bool {
    let placed = |kind| matches!(kind, Kind::Fixed | Kind::Given | Kind::Dense | Kind::Indexed { .. });
    F::ENCODINGS[0].queries.is_empty() && F::LEVELS.iter().all(|level| placed(level.kind))
}

/// Returns the least and the greatest coordinate of each level in a box that is not empty; `None` if they are not known.
fn bounds<F: Tree<N, M>, const N: usize, const M: usize>(ranges: &[Range<usize>; N]) -> [Option<[i64; 2]>; M] {
    let mut bounds = [None; M];
    set_bounds(&F::ENCODINGS[0], ranges, &mut bounds);
    bounds
}

/// Does what [`bounds`] does; this is compiled once for all formats.
fn set_bounds(encoding: &Encoding, ranges: &[Range<usize>], bounds: &mut [Option<[i64; 2]>]) {
    let end_of = |end: i128| end.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
    for (bounds, level) in bounds.iter_mut().zip(encoding.levels) {
        *bounds = extremes(&level.form, ranges).map(|[least, greatest]| [end_of(least), end_of(greatest)]);
    }
}

/// Returns the least and the greatest value of a form over a box, or numbers beyond these; `None` if it depends on a query.
fn extremes(form: &Form, ranges: &[Range<usize>]) -> Option<[i128; 2]> {
    let constant = i128::from(form.constant);
    form.terms
        .iter()
        .try_fold([constant; 2], |[low, high], &(atom, factor)| {
            let [least, greatest] = match atom {
                Atom::Dim(dim) => [ranges[dim].start as i128, ranges[dim].end as i128 - 1],
                Atom::Query(_) => return None,
                Atom::Quotient(inner, divisor) => extremes(inner, ranges)?.map(|end| end.div_euclid(divisor.into())),
            };
            let (least, greatest) = (least.checked_mul(factor.into())?, greatest.checked_mul(factor.into())?);
            Some([
                low.checked_add(least.min(greatest))?,
                high.checked_add(least.max(greatest))?,
            ])
        })
}
