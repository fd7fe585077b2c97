//! Compressed rows, columns and blocks made by hand, without the library: the input and output of peers.

use super::{Arrangement, Element, Entries};

/// The arrays of a compressed matrix.
#[derive(Clone, PartialEq)]
pub(crate) struct Compressed<T> {
    pub ptr: Vec<u32>,
    pub idx: Vec<u32>,
    pub values: Vec<T>,
}

impl<T: Element> Compressed<T> {
    /// Converts from the integer types of a peer.
    pub(crate) fn of<P: TryInto<u32>, I: TryInto<u32>>(
        ptr: impl IntoIterator<Item = P>,
        idx: impl IntoIterator<Item = I>,
        values: &[T],
    ) -> Self {
        Compressed {
            ptr: ptr.into_iter().map(|at| at.try_into().unwrap_or(u32::MAX)).collect(),
            idx: idx.into_iter().map(|at| at.try_into().unwrap_or(u32::MAX)).collect(),
            values: values.to_vec(),
        }
    }

    /// Compresses elements that are sorted by `major`.
    fn in_order(extent: usize, major: &[u32], minor: &[u32], values: &[T]) -> Self {
        let mut ptr = vec![0; extent + 1];
        major.iter().for_each(|&at| ptr[at as usize + 1] += 1);
        for at in 0..extent {
            ptr[at + 1] += ptr[at];
        }
        Compressed {
            ptr,
            idx: minor.to_vec(),
            values: values.to_vec(),
        }
    }

    /// Compresses elements that are sorted by row.
    pub(crate) fn rows(entries: &Entries<T>) -> Self {
        Self::in_order(entries.shape[0], &entries.rows, &entries.cols, &entries.values)
    }

    pub(crate) fn columns(entries: &Entries<T>) -> Self {
        let entries = entries.arranged(Arrangement::Columns);
        Self::in_order(entries.shape[1], &entries.cols, &entries.rows, &entries.values)
    }

    /// Collects elements that are sorted by row into dense blocks in compressed block rows.
    pub(crate) fn blocks(entries: &Entries<T>, size: usize) -> Self {
        let (mut idx, mut values) = (Vec::new(), Vec::new());
        let mut ptr = vec![0; entries.shape[0].div_ceil(size) + 1];
        let mut from = 0;
        for members in entries
            .rows
            .chunk_by(|&left, &right| left as usize / size == right as usize / size)
        {
            let at = from..from + members.len();
            let mut columns: Vec<u32> = entries.cols[at.clone()].iter().map(|&j| j / size as u32).collect();
            columns.sort_unstable();
            columns.dedup();
            let first = idx.len();
            values.resize((first + columns.len()) * size * size, T::default());
            for at in at {
                let (i, j) = (entries.rows[at] as usize, entries.cols[at] as usize);
                let block = first + columns.partition_point(|&column| (column as usize) < j / size);
                values[(block * size + i % size) * size + j % size] = entries.values[at];
            }
            idx.extend(columns);
            ptr[members[0] as usize / size + 1] = idx.len() as u32;
            from += members.len();
        }
        // A block row without elements ends where the previous one does.
        for at in 1..ptr.len() {
            ptr[at] = ptr[at].max(ptr[at - 1]);
        }
        Compressed { ptr, idx, values }
    }
}
