//! Elements that need only be put into their bins, in the order they come in: a counting sort in two visits.

use super::coded::{Coded, pieces};
use super::counts::Places;
use super::layout::Layout;
use super::sequence::Sequence;
use super::sort::{Local, is_narrow, sort_by_bin};
use crate::level::Tree;
use crate::report::advance;
use crate::shared::Shared;
use crate::{Scalar, pages, parallel};

/// Lines of counters that are remembered to tell whether bins come again soon.
const LINES: usize = 1 << 12;
/// Counters in a line of the cache.
const COUNTERS: usize = 16;
/// Elements in a row that are looked at, and how many of such rows one is.
const SAMPLE: (usize, usize) = (1 << 12, 16);

/// Counts the elements of bins, and how often one is far from all bins seen of late.
struct Counter {
    counts: Vec<u32>,
    elements: usize,
    seen: Vec<u32>,
    sampled: usize,
    far: usize,
}

impl Counter {
    fn new(bins: usize) -> Self {
        Counter {
            counts: pages::filled(0u32, bins),
            elements: 0,
            seen: vec![u32::MAX; LINES],
            sampled: 0,
            far: 0,
        }
    }

    #[inline(always)]
    fn add(&mut self, bin: usize) {
        self.counts[bin] += 1;
        if self.elements / SAMPLE.0 % SAMPLE.1 == SAMPLE.1 / 2 {
            let line = (bin / COUNTERS) as u32;
            let seen = &mut self.seen[line as usize % LINES];
            self.sampled += 1;
            self.far += usize::from(*seen != line);
            *seen = line;
        }
        self.elements += 1;
    }
}

/// `O(elements + bins)`; where bins come in no order, and are many, in parts that fit a cache.
pub(super) fn scatter<F: Tree<N, M>, K: Local, const N: usize, const M: usize>(
    source: &impl Coded<F, N, M>,
    layout: &Layout<M>,
) -> Sequence<F::Scalar, K> {
    let pieces = pieces::<F, N, M>(source);
    let counters = parallel::each(pieces.clone(), |piece| {
        let mut counter = Counter::new(layout.bins);
        source.for_each_between(piece, |levels, _| counter.add(layout.bin(&levels)));
        counter
    });
    advance(1, 2);
    let (far, sampled) = counters
        .iter()
        .fold((0, 0), |sum, c| (sum.0 + c.far, sum.1 + c.sampled));
    if 4 * far > sampled && (K::BITS > u32::BITS || is_narrow(source.count(), layout)) {
        return sort_by_bin(source, layout);
    }
    let places = Places::new(counters.into_iter().map(|counter| counter.counts).collect());
    let total = places.starts[layout.bins] as usize;
    let mut keys = pages::filled(K::ZERO, total);
    let mut values = pages::filled(F::Scalar::ZERO, total);
    let (all_keys, all_values) = (Shared::new(&mut keys), Shared::new(&mut values));
    let starts = places.fill(|number, mut piece| {
        source.for_each_between(pieces[number].clone(), |levels, value| {
            let at = piece.take(layout.bin(&levels));
            // SAFETY: the place is this element's alone.
            unsafe {
                all_keys.set(at, layout.key(&levels));
                all_values.set(at, value);
            }
        });
    });
    Sequence { starts, keys, values }
}
