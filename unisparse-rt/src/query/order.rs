//! The order of tuples of numbers, by radix sort.

use crate::level::Domain;
use crate::{parallel, radix};

/// Tuples of numbers, one for each of `count` items, packed so that words compare as the tuples do.
pub(super) struct Keys {
    count: usize,
    words: Vec<Word>,
}

/// Some fields of all items, the first in the highest bits.
struct Word {
    bits: u32,
    keys: Vec<u64>,
}

impl Keys {
    /// Empty tuples.
    pub(super) fn new(count: usize) -> Self {
        Keys {
            count,
            words: Vec::new(),
        }
    }

    /// Appends fields to each item's tuple. Those whose domain is known are in it; the others are measured.
    pub(super) fn append<const K: usize>(
        mut self,
        known: [Option<Domain>; K],
        fields: impl Fn(usize) -> [i64; K] + Sync,
    ) -> Self {
        let measured = if known.contains(&None) {
            extremes(self.count, &fields)
        } else {
            None
        };
        let lows_and_widths: [_; K] = core::array::from_fn(|field| match (known[field], &measured) {
            (Some(domain), _) => (domain.lo, width(domain.size.saturating_sub(1) as u64)),
            (None, Some((least, greatest))) => {
                let span = greatest[field].wrapping_sub(least[field]) as u64;
                (least[field], width(span))
            }
            (None, None) => (0, 0),
        });
        let words: [usize; K] = core::array::from_fn(|field| self.word(lows_and_widths[field].1));
        for (number, word) in self.words.iter_mut().enumerate() {
            if !words.contains(&number) {
                continue;
            }
            parallel::update(&mut word.keys, |item, key| {
                let fields = fields(item);
                for field in (0..K).filter(|&field| words[field] == number) {
                    let (low, width) = lows_and_widths[field];
                    // A field of all 64 bits has its word for itself.
                    *key = key.checked_shl(width).unwrap_or(0) | fields[field].wrapping_sub(low) as u64;
                }
            });
        }
        self
    }

    /// The word that takes the next field.
    fn word(&mut self, width: u32) -> usize {
        match self.words.last_mut() {
            Some(last) if last.bits + width <= u64::BITS => last.bits += width,
            _ => self.words.push(Word {
                bits: width,
                keys: vec![0; self.count],
            }),
        }
        self.words.len() - 1
    }

    /// The items in the order of their tuples; those of equal tuples stay as they are.
    pub(super) fn order(self) -> Vec<usize> {
        let mut order = parallel::map(self.count, |item| item);
        if self.is_sorted() {
            return order;
        }
        for word in self.words.iter().rev() {
            let mut keys = parallel::map(self.count, |at| word.keys[order[at]]);
            radix::sort(&mut keys, &mut order, word.bits);
        }
        order
    }

    fn is_sorted(&self) -> bool {
        let pairs = self.count.saturating_sub(1);
        if let [word] = &self.words[..] {
            return parallel::all(pairs, |item| word.keys[item] <= word.keys[item + 1]);
        }
        let tuple = |item: usize| self.words.iter().map(move |word| word.keys[item]);
        parallel::all(pairs, |item| tuple(item).le(tuple(item + 1)))
    }
}

/// An order by groups, cut into pieces for the threads, but never within a group.
pub(super) fn cut<G: PartialEq>(order: &[usize], group: impl Fn(usize) -> G) -> Vec<&[usize]> {
    let length = order.len().div_ceil(parallel::pieces(order.len()));
    let (mut pieces, mut rest) = (Vec::new(), order);
    while rest.len() > length {
        let last = group(rest[length - 1]);
        let more = rest[length..].partition_point(|&item| group(item) == last);
        let (piece, after) = rest.split_at(length + more);
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

/// The bits that numbers up to `greatest` take.
fn width(greatest: u64) -> u32 {
    u64::BITS - greatest.leading_zeros()
}

/// The least and the greatest of each field of two such pairs.
pub(super) fn wider<const K: usize>(
    (mut least, mut greatest): ([i64; K], [i64; K]),
    (low, high): ([i64; K], [i64; K]),
) -> ([i64; K], [i64; K]) {
    for field in 0..K {
        least[field] = least[field].min(low[field]);
        greatest[field] = greatest[field].max(high[field]);
    }
    (least, greatest)
}

/// The least and the greatest of each field of the items' tuples; `None` if there are no items.
pub(super) fn extremes<const K: usize>(
    count: usize,
    fields: impl Fn(usize) -> [i64; K] + Sync,
) -> Option<([i64; K], [i64; K])> {
    let first = (count > 0).then(|| fields(0))?;
    let both = |item| {
        let fields = fields(item);
        (fields, fields)
    };
    Some(parallel::reduce(count, (first, first), both, wider))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn orders_as_a_stable_sort_does(
            tuples in proptest::collection::vec((0i64..4, prop_oneof![-3i64..3, any::<i64>()], any::<i64>()), 0..200),
        ) {
            let mut expected: Vec<usize> = (0..tuples.len()).collect();
            expected.sort_by_key(|&item| (tuples[item].0, tuples[item].1, tuples[item].2 % 5));
            let order = Keys::new(tuples.len())
                .append([Some(Domain { lo: -2, size: 6 })], |item| [tuples[item].0])
                .append([None; 2], |item| [tuples[item].1, tuples[item].2 % 5])
                .order();
            prop_assert_eq!(order, expected);
        }
    }

    #[test]
    fn no_fields_and_no_items() {
        assert_eq!(Keys::new(3).append([], |_| []).order(), [0, 1, 2]);
        assert!(Keys::new(0).append([None], |_| [1]).order().is_empty());
    }
}
