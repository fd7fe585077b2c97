//! Triplets as a tensor, for generic code: what is generic over formats takes what readers return, too.

use core::ops::Range;

use super::Triplets;
use super::encoding::DIMS;
use crate::convert::assemble::by_dims::in_logical_order;
use crate::describe::Describe;
use crate::element::Stored;
use crate::error::Error;
use crate::format::{Kind, Level};
use crate::limit::Limit;
use crate::model::Profile;
use crate::model::estimate::Counting;
use crate::report::conversion;
use crate::source::{Source, check_inside};
use crate::tensor::SparseTensor;

/// Returns the level that holds the coordinates of a dim.
const fn level(dim: usize) -> Level {
    Level {
        name: DIMS[dim],
        pointer_name: "",
        expression: DIMS[dim],
        domain: "the extent",
        kind: Kind::Indexed {
            pointed: false,
            copied: true,
            full: false,
        },
        measured: false,
        invariant: None,
        invariant_over: &[],
        storage: "idx[usize]",
        why: "one coordinate for each triplet, in any order",
    }
}

/// Elements in any order, each searched for in `O(n)`. A repeated coordinate is several elements until they are assembled, also
/// as `Triplets`: [`assemble`](SparseTensor::assemble) combines them by the policy of the source.
impl<T: Stored, const N: usize> SparseTensor<N> for Triplets<T, N> {
    const NAME: &'static str = "Triplets";
    type Coordinate = u64;

    fn describe() -> Describe {
        let levels: Vec<Level> = (0..N).map(level).collect();
        Describe::new(Self::NAME, "a list of coordinates and values", String::new(), &levels)
    }

    fn nnz(&self) -> usize {
        self.len()
    }

    fn stored(&self) -> usize {
        self.len()
    }

    fn bytes(&self) -> usize {
        self.len() * (size_of::<[usize; N]>() + size_of::<T>())
    }

    fn values(&self) -> impl ExactSizeIterator<Item = T> + '_ {
        self.values.iter().copied()
    }

    fn within(&self, ranges: [Range<usize>; N]) -> impl Iterator<Item = ([usize; N], T)> + '_ {
        self.positions(ranges, false)
            .map(|(coordinate, position)| (coordinate, self.values[position]))
    }

    fn positions(&self, ranges: [Range<usize>; N], _holes: bool) -> impl Iterator<Item = ([usize; N], usize)> + '_ {
        let is_inside =
            move |coordinate: &[usize; N]| coordinate.iter().zip(&ranges).all(|(at, range)| range.contains(at));
        let positions = self.coordinates.iter().copied().zip(0..);
        positions.filter(move |(coordinate, _)| is_inside(coordinate))
    }

    fn visit_values(&mut self, visit: impl FnMut(&mut T)) {
        self.values.iter_mut().for_each(visit);
    }

    fn profiles_of<S: Source<N, Scalar = T>>(source: &S, counting: &Counting) -> Result<Vec<Profile>, Error> {
        let count = in_logical_order(Self::NAME, source)?.values.len();
        let profile = |count: usize| Profile::of_list::<T, N>(source.shape(), count);
        let those = |ranks: &[u32], holds: &dyn Fn(u32) -> bool| ranks.iter().filter(|rank| holds(**rank)).count();
        Ok(match *counting {
            Counting::All => vec![profile(count)],
            Counting::Above(ranks, cases) => (0..cases as u32)
                .map(|case| profile(those(ranks, &|rank| rank > case)))
                .collect(),
            Counting::UpTo(ranks, cases) => (0..cases as u32)
                .map(|case| profile(those(ranks, &|rank| rank <= case)))
                .collect(),
        })
    }

    fn assemble<S: Source<N, Scalar = T>>(source: &S, limit: Limit) -> Result<Self, Error> {
        let _conversion = conversion(Self::NAME);
        let elements = in_logical_order(Self::NAME, source)?;
        let width = size_of::<[usize; N]>() + size_of::<T>();
        let (bytes, shape) = (elements.values.len() as u128 * width as u128, source.shape());
        Limit::check(
            Self::NAME,
            bytes,
            limit.allowed(elements.values.len(), size_of::<T>(), &shape),
        )?;
        if !S::IS_CHECKED {
            // The visit that is kept may have given others than the one that was checked.
            check_inside(&shape, elements.coordinates.iter().copied())?;
        }
        Ok(Triplets::from_checked(shape, elements.coordinates, elements.values))
    }
}
