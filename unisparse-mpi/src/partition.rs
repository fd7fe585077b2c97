//! Contiguous blocks of rows or columns, one for each rank.

use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, ErrorKind};

/// Which rank owns which rows, columns or elements of a vector: contiguous blocks in the order of the ranks, some of which may
/// be empty.
#[derive(Debug, Clone, Eq)]
pub struct Partition {
    /// The first of each rank, then the extent.
    starts: Arc<[usize]>,
}

impl Partition {
    /// Divides `extent` evenly.
    #[must_use]
    pub fn even(extent: usize, ranks: usize) -> Self {
        let ranks = ranks.max(1);
        let start = |rank: usize| (extent as u128 * rank as u128 / ranks as u128) as usize;
        Partition {
            starts: (0..=ranks).map(start).collect(),
        }
    }

    /// Creates a partition from the first row of each rank, and the extent at last.
    ///
    /// # Errors
    /// [`ErrorKind::Partition`] if the first is not 0, or one is less than the one before.
    pub fn try_from_starts(starts: Vec<usize>) -> Result<Self, Error> {
        let refused = |message: String| Err(Error::new(ErrorKind::Partition, message));
        if starts.len() < 2 || starts[0] != 0 {
            return refused(format!(
                "a partition: found {starts:?}, expected 0, then the end of each rank"
            ));
        }
        if let Some(rank) = starts.windows(2).position(|pair| pair[0] > pair[1]) {
            let (start, end) = (starts[rank], starts[rank + 1]);
            return refused(format!(
                "a partition: found {start}..{end} for rank {rank}, expected an ascending range"
            ));
        }
        Ok(Partition { starts: starts.into() })
    }

    /// Returns the number of ranks.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the number of rows of all ranks.
    #[must_use]
    pub fn extent(&self) -> usize {
        self.starts[self.ranks()]
    }

    /// Returns the first row of each rank, then the extent.
    #[must_use]
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Returns the rows of a rank.
    ///
    /// # Panics
    /// If there is no such rank.
    #[must_use]
    pub fn of(&self, rank: usize) -> Range<usize> {
        self.starts[rank]..self.starts[rank + 1]
    }

    /// Returns the rank that owns a row, which is less than the extent. `O(log ranks)`.
    #[must_use]
    pub fn owner(&self, row: usize) -> usize {
        self.starts.partition_point(|start| *start <= row).saturating_sub(1)
    }

    pub(crate) fn numbers(&self) -> Vec<u64> {
        self.starts.iter().map(|start| *start as u64).collect()
    }
}

impl PartialEq for Partition {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.starts, &other.starts) || self.starts == other.starts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_one_owner() {
        for (extent, ranks) in [(0, 1), (0, 4), (3, 4), (10, 3), (100, 7)] {
            let even = Partition::even(extent, ranks);
            assert_eq!((even.extent(), even.ranks()), (extent, ranks));
            for rank in 0..ranks {
                let own = even.of(rank);
                assert!(own.len() <= extent.div_ceil(ranks));
                assert!(own.clone().all(|row| even.owner(row) == rank), "{own:?}");
            }
        }
        let given = Partition::try_from_starts(vec![0, 0, 5, 5, 7]).unwrap();
        assert_eq!([0, 4, 5, 6].map(|row| given.owner(row)), [1, 1, 3, 3]);
    }

    #[test]
    fn other_numbers_are_refused() {
        for starts in [vec![], vec![0], vec![1, 2], vec![0, 3, 2]] {
            let error = Partition::try_from_starts(starts).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Partition);
        }
    }
}
