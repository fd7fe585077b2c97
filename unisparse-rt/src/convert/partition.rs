//! Partitions a tensor below one level: cuts the arrays of the whole into the arrays of the parts, and joins them again.

use core::ops::Range;
use std::vec::IntoIter;

use crate::array::{Pointers, Slice};
use crate::element::Index;
use crate::error::{Error, ErrorKind};
use crate::format::{Tree, lengths_to};
use crate::source::Elements;

/// The borders between the parts of a tensor, level by level.
///
/// Generated code calls one method for each level below the cut, from the top down.
pub struct Cut {
    /// The start of each part's positions at the level reached so far, followed by the end.
    bounds: Vec<usize>,
}

impl Cut {
    /// Starts with one part for each of the `parts` positions of the level that is cut.
    #[must_use]
    pub fn new(parts: usize) -> Self {
        Cut {
            bounds: (0..=parts).collect(),
        }
    }

    fn ranges(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.bounds.windows(2).map(|pair| pair[0]..pair[1])
    }

    /// Descends to a level of `size` positions below each position.
    pub fn dense(&mut self, size: usize) {
        self.bounds.iter_mut().for_each(|bound| *bound *= size);
    }

    /// Descends to a level of `len` positions at the root of the whole, which all belong to the single part.
    pub fn root(&mut self, len: usize) {
        self.bounds = vec![0, len];
    }

    /// Descends to a level at the root of each part; returns its number of positions in each part.
    pub fn counts<P: Index>(&mut self, pointers: &Pointers<P>) -> IntoIter<usize> {
        self.descend(pointers);
        self.ranges().map(|range| range.len()).collect::<Vec<_>>().into_iter()
    }

    /// Descends to a level with pointers; returns the pointers of each part.
    pub fn pointers<P: Index>(&mut self, pointers: &Pointers<P>) -> IntoIter<Pointers<P>> {
        let cut: Vec<Pointers<P>> = self.ranges().map(|range| pointers.cut(range)).collect();
        self.descend(pointers);
        cut.into_iter()
    }

    fn descend<P: Index>(&mut self, pointers: &Pointers<P>) {
        self.bounds
            .iter_mut()
            .for_each(|bound| *bound = pointers[*bound].to_usize());
    }

    /// Cuts an array with one entry per position of the level reached. The first part keeps its memory, the others get copies.
    pub fn entries<A: Slice>(&self, array: A) -> impl Iterator<Item = A> + use<A> {
        self.blocks(array, 1)
    }

    /// As [`entries`](Cut::entries), for an array with `size` entries per position.
    pub fn blocks<A: Slice>(&self, array: A, size: usize) -> impl Iterator<Item = A> + use<A> {
        let mut ranges = self.ranges().map(|range| range.start * size..range.end * size);
        let first = ranges.next();
        let others: Vec<A> = ranges.map(|range| array.slice(range)).collect();
        first
            .map(|range| array.keep_first(range.len()))
            .into_iter()
            .chain(others)
    }
}

/// Returns the coordinates of the first `depth` levels at each position of the last of these levels, of which there is one for each of
/// `parts` parts, if that number is given: then no more memory is taken than for the parts.
///
/// # Errors
/// `Length` if the lengths of these levels' arrays are inconsistent, or there are more or fewer positions than parts.
pub fn nodes<F: Tree<N, M>, const N: usize, const M: usize>(
    tensor: &F,
    depth: usize,
    parts: Option<usize>,
) -> Result<Vec<[i64; M]>, Error> {
    let positions = lengths_to(tensor, depth)?;
    if let Some(parts) = parts.filter(|&parts| parts as u128 != positions) {
        let (found, expected) = (format!("{parts} parts"), format!("{positions}: one for each node"));
        return Err(Error::new(ErrorKind::Length, "`parts`", None, found, expected));
    }
    let mut nodes = Elements::to_depth(tensor, depth);
    Ok(core::iter::from_fn(|| nodes.next_node()).collect())
}

/// Checks that each part, of as many as there are nodes, names its node.
///
/// # Errors
/// `Structure` for the first part that names another node.
pub fn belong<const K: usize>(
    nodes: impl Iterator<Item = [i64; K]>,
    parts: impl Iterator<Item = [i64; K]>,
) -> Result<(), Error> {
    match nodes.zip(parts).enumerate().find(|(_, (node, part))| node != part) {
        None => Ok(()),
        Some((at, (node, part))) => Err(Error::new(
            ErrorKind::Structure,
            "`parts`",
            Some(at),
            format!("the part of node {part:?}"),
            format!("that of node {node:?}"),
        )),
    }
}

/// Checks that the parts have the shape of the whole.
///
/// # Errors
/// `Shape` for the first part that does not.
pub fn same_shape<const N: usize>(shape: [usize; N], mut parts: impl Iterator<Item = [usize; N]>) -> Result<(), Error> {
    match parts.position(|part| part != shape) {
        None => Ok(()),
        Some(at) => Err(Error::new(
            ErrorKind::Shape,
            "`parts`",
            Some(at),
            "a part of a tensor of another shape",
            format!("one of shape {shape:?}"),
        )),
    }
}

/// Returns the size of level `name`, which must be equal in all parts.
///
/// # Errors
/// `Structure` for the first part in which it differs.
pub fn join_sizes(name: &str, mut parts: impl Iterator<Item = usize>) -> Result<usize, Error> {
    let Some(size) = parts.next() else { return Ok(0) };
    match parts.enumerate().find(|&(_, part)| part != size) {
        None => Ok(size),
        Some((at, part)) => Err(Error::new(
            ErrorKind::Structure,
            "`parts`",
            Some(at + 1),
            format!("`{name}_size` {part}"),
            format!("{size} as in the first"),
        )),
    }
}

/// Concatenates one array of all parts.
pub fn join_entries<'a, T: Copy + 'a>(parts: impl Iterator<Item = &'a [T]>) -> Vec<T> {
    parts.flatten().copied().collect()
}

/// Returns the pointers of the whole, given the number of positions of each parent, part by part.
///
/// # Errors
/// `Overflow` if a pointer does not fit `P`.
pub fn join_counts<P: Index>(name: &str, counts: impl Iterator<Item = usize>) -> Result<Vec<P>, Error> {
    let mut end = 0usize;
    let starts = core::iter::once(0).chain(counts).map(|count| {
        end += count;
        P::try_from_i64(end as i64).ok_or_else(|| {
            Error::new(
                ErrorKind::Overflow,
                format!("`{name}_ptr`"),
                None,
                format!("{end} entries in all parts"),
                format!(
                    "a number that fits `{}` (a format of your own can say `pointer(u64)`)",
                    P::NAME
                ),
            )
        })
    });
    starts.collect()
}

/// As [`join_counts`], given the pointers of all parts.
///
/// # Errors
/// As [`join_counts`].
pub fn join_pointers<'a, P: Index>(name: &str, parts: impl Iterator<Item = &'a [P]>) -> Result<Vec<P>, Error> {
    let counts = parts.flat_map(|part| part.windows(2).map(|pair| pair[1].to_usize() - pair[0].to_usize()));
    join_counts(name, counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Domain;
    use crate::array::Indices;

    #[test]
    fn arrays_are_cut_and_joined() {
        // Three parts: two rows each, of 2, 0, 0, 0, 1 and 3 entries.
        let pointers = Pointers::<u32>::try_new("row", vec![0, 2, 2, 2, 2, 3, 6]).unwrap();
        let indices = Indices::<u8>::try_new("col", vec![4, 5, 6, 7, 8, 9], Domain { lo: 0, size: 10 }).unwrap();
        let mut cut = Cut::new(3);
        cut.dense(2);
        let rows: Vec<_> = cut.pointers(&pointers).map(Pointers::into_vec).collect();
        let cols: Vec<_> = cut.entries(indices.clone()).map(Indices::into_vec).collect();
        assert_eq!(rows, [vec![0, 2, 2], vec![0, 0, 0], vec![0, 1, 4]]);
        assert_eq!(cols, [vec![4, 5], vec![], vec![6, 7, 8, 9]]);
        assert_eq!(
            cut.entries(vec!['a', 'b', 'c', 'd', 'e', 'f']).next(),
            Some(vec!['a', 'b'])
        );
        let joined = join_pointers::<u32>("row", rows.iter().map(Vec::as_slice));
        assert_eq!(joined.unwrap(), pointers[..]);
        assert_eq!(join_entries(cols.iter().map(Vec::as_slice)), indices[..]);
    }

    #[test]
    fn the_level_at_the_root_of_each_part_is_counted() {
        let pointers = Pointers::<u16>::try_new("bank", vec![0, 3, 3, 4]).unwrap();
        let mut cut = Cut::new(3);
        let counts: Vec<usize> = cut.counts(&pointers).collect();
        assert_eq!(counts, [3, 0, 1]);
        let values: Vec<_> = cut.entries(vec![1, 2, 3, 4]).collect();
        assert_eq!(values, [vec![1, 2, 3], vec![], vec![4]]);
        assert_eq!(join_counts::<u16>("bank", counts.into_iter()).unwrap(), pointers[..]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let kind = |result: Result<(), Error>| result.unwrap_err().kind();
        assert_eq!(
            kind(join_counts::<u8>("bank", [200, 100].into_iter()).map(drop)),
            ErrorKind::Overflow
        );
        assert_eq!(join_sizes("col", [4, 4].into_iter()).unwrap(), 4);
        assert_eq!(
            kind(join_sizes("col", [4, 4, 5].into_iter()).map(drop)),
            ErrorKind::Structure
        );
        assert_eq!(
            kind(belong([[0], [1]].into_iter(), [[0], [2]].into_iter())),
            ErrorKind::Structure
        );
        assert_eq!(kind(same_shape([2, 3], [[2, 3], [3, 2]].into_iter())), ErrorKind::Shape);
    }
}
