//! Elements in storage order: bin starts, keys and values.

use core::ops::Range;

use super::keys::Key;
use super::layout::Layout;
use crate::element::Stored;
use crate::machine::radix::WideKey;
use crate::source::Duplicates;

/// Keys of all elements, of the type that fits.
pub(super) enum ElementKeys {
    Narrow(Vec<u32>),
    Word(Vec<u64>),
    Wide(Vec<WideKey>),
}

/// Evaluates an expression for keys of any type.
macro_rules! each_key {
    ($keys:expr, $name:ident => $body:expr) => {
        match $keys {
            $crate::convert::assemble::sequence::ElementKeys::Narrow($name) => $body,
            $crate::convert::assemble::sequence::ElementKeys::Word($name) => $body,
            $crate::convert::assemble::sequence::ElementKeys::Wide($name) => $body,
        }
    };
}
pub(super) use each_key;

/// Key types that [`ElementKeys`] has a variant for.
pub(super) trait Held: Key {
    fn held(keys: Vec<Self>) -> ElementKeys;
}

impl Held for u32 {
    fn held(keys: Vec<Self>) -> ElementKeys {
        ElementKeys::Narrow(keys)
    }
}

impl Held for u64 {
    fn held(keys: Vec<Self>) -> ElementKeys {
        ElementKeys::Word(keys)
    }
}

impl Held for WideKey {
    fn held(keys: Vec<Self>) -> ElementKeys {
        ElementKeys::Wide(keys)
    }
}

/// Elements or blocks in the order of their bins and keys.
pub(super) struct Sequence<T, K> {
    /// Start of each bin, and the end of the last. Empty if there is one bin.
    pub(super) starts: Vec<u32>,
    pub(super) keys: Vec<K>,
    pub(super) values: Vec<T>,
}

/// Elements in the order of their bins and keys, with keys of any type.
pub(super) struct Arranged<T> {
    pub(super) starts: Vec<u32>,
    pub(super) keys: ElementKeys,
    pub(super) values: Vec<T>,
}

impl<T: Stored, K: Key> Sequence<T, K> {
    /// Iterates over the bins, with the range of elements in each.
    pub(super) fn bins(&self) -> Bins<'_> {
        bins(&self.starts, self.keys.len())
    }

    /// Returns the first element whose coordinate is also that of the next element, if any.
    fn first_duplicate(&self, layout: &Layout) -> Option<usize> {
        let shift = layout.aligned_bits;
        // Loops without branches: neighbours are all different, or those that are equal are in different bins.
        let neighbours = self.keys.iter().zip(self.keys.iter().skip(1));
        let equal: usize = neighbours
            .map(|(one, next)| usize::from(!one.differs(*next, shift)))
            .sum();
        if equal == 0 || equal == self.equal_at_borders(shift) {
            return None;
        }
        self.bins().find_map(|(_, range)| {
            let keys = &self.keys[range.clone()];
            let equal = |pair: &[K]| !pair[0].differs(pair[1], shift);
            Some(range.start + keys.windows(2).position(equal)?)
        })
    }

    /// Returns the number of bins that begin with the key of the element before.
    fn equal_at_borders(&self, shift: u32) -> usize {
        let mut before = 0;
        let begins = self.starts.iter().filter(|&&start| {
            let start = start as usize;
            // Empty bins share a start.
            let is_border = start > before && start < self.keys.len();
            before = start;
            is_border && !self.keys[start - 1].differs(self.keys[start], shift)
        });
        begins.count()
    }

    /// Leaves one element at each coordinate, as the policy says; fails with the bin and key of one that it rejects.
    pub(super) fn resolve_duplicates(&mut self, policy: Duplicates, layout: &Layout) -> Result<(), (usize, K)> {
        let Some(first) = self.first_duplicate(layout) else {
            return Ok(());
        };
        if policy.of::<T>() == Duplicates::Reject {
            let found = self.bins().find(|(_, range)| range.contains(&first));
            return Err((found.map_or(0, |(bin, _)| bin), self.keys[first]));
        }
        let mut starts = core::mem::take(&mut self.starts);
        let (mut kept, mut end) = (0, 0);
        let bins = starts.len().saturating_sub(1).max(1);
        for bin in 0..bins {
            let start = end;
            end = starts.get(bin + 1).map_or(self.keys.len(), |&end| end as usize);
            let first = kept;
            for at in start..end {
                let (key, value) = (self.keys[at], self.values[at]);
                if kept > first && !self.keys[kept - 1].differs(key, layout.aligned_bits) {
                    let held = &mut self.values[kept - 1];
                    match (policy, T::PLUS) {
                        (Duplicates::Sum, Some(plus)) => *held = plus(*held, value),
                        (Duplicates::Last, _) => *held = value,
                        _ => {}
                    }
                } else {
                    self.keys[kept] = key;
                    self.values[kept] = value;
                    kept += 1;
                }
            }
            if let Some(bound) = starts.get_mut(bin + 1) {
                *bound = kept as u32;
            }
        }
        self.starts = starts;
        self.keys.truncate(kept);
        self.values.truncate(kept);
        Ok(())
    }
}

/// Iterates over the bins, with the range of elements in each.
pub(super) fn bins(starts: &[u32], len: usize) -> Bins<'_> {
    let count = if starts.is_empty() { 1 } else { starts.len() - 1 };
    Bins {
        starts,
        len,
        bins: 0..count,
    }
}

/// The bins, with the range of elements in each. A type of its own, as chained iterators would be compiled for each loop.
pub(super) struct Bins<'a> {
    /// Start of each bin, and the end of the last. Empty if there is one bin.
    starts: &'a [u32],
    /// Number of elements.
    len: usize,
    bins: Range<usize>,
}

impl Iterator for Bins<'_> {
    type Item = (usize, Range<usize>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let bin = self.bins.next()?;
        let range = match self.starts {
            [] => 0..self.len,
            starts => starts[bin] as usize..starts[bin + 1] as usize,
        };
        Some((bin, range))
    }
}
