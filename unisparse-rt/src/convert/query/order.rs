//! Sorts tuples of numbers by radix sort.

use core::ops::Range;

use super::fields::{Extremes, Fields, Number, widest};
use crate::array::Domain;
use crate::format::balance::balanced;
use crate::machine::{pages, parallel, radix};

/// Tuples of numbers, one for each of `count` items, packed into words that compare like the tuples.
pub(super) struct TupleKeys {
    count: usize,
    words: Vec<Word>,
    /// The number of words that hold the group's fields, and the number of bits they occupy in the last of these words.
    grouped: (usize, u32),
}

/// Fields of all items, the first field in the highest bits.
struct Word {
    bits: u32,
    keys: Vec<u64>,
}

/// The items in stable order of their tuples, and the start of each group of items followed by the end.
pub(super) struct Order {
    pub(super) items: Vec<usize>,
    pub(super) starts: Vec<usize>,
}

impl Order {
    /// Returns ranges of groups with about equal numbers of items, one per thread.
    pub(super) fn pieces(&self) -> Vec<Range<usize>> {
        let borders = balanced(self.starts.len() - 1, parallel::pieces(self.items.len()), |group| {
            self.starts[group]
        });
        borders.windows(2).map(|pair| pair[0]..pair[1]).collect()
    }

    /// Returns the items of a group.
    pub(super) fn group(&self, group: usize) -> &[usize] {
        &self.items[self.starts[group]..self.starts[group + 1]]
    }
}

/// Returns the group starts of `count` items and the end; `same(at)` says whether items `at` and `at + 1` share a group.
fn starts(count: usize, same: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut starts = vec![0];
    starts.extend((1..count).filter(|&at| !same(at - 1)));
    starts.push(count);
    starts
}

impl TupleKeys {
    /// Creates empty tuples.
    pub(super) fn new(count: usize) -> Self {
        TupleKeys {
            count,
            words: Vec::new(),
            grouped: (0, 0),
        }
    }

    /// Appends fields to each item's tuple. Fields of `known` domain must lie in it; other domains, and
    /// those that are not listed, are measured.
    pub(super) fn append<I: Number>(self, known: &[Option<Domain>], fields: Fields<I>) -> Self {
        self.append_first(fields.count, known, fields)
    }

    /// Appends the last fields to each item's tuple, omitting the trailing fields by which the items are already sorted.
    pub(super) fn append_last<I: Number>(self, known: &[Option<Domain>], fields: Fields<I>) -> Self {
        let pairs = self.count.saturating_sub(1);
        let ascend = |from: &usize| {
            let (from, last) = (*from, fields.count - *from == 1);
            parallel::all(pairs, |item| match last {
                true => fields.at(item, from) <= fields.at(item + 1, from),
                false => fields.of(item)[from..] <= fields.of(item + 1)[from..],
            })
        };
        let needed = (0..fields.count)
            .rev()
            .take_while(ascend)
            .last()
            .unwrap_or(fields.count);
        self.append_first(needed, known, fields)
    }

    /// Declares that the fields so far identify the group of an item.
    pub(super) fn group(mut self) -> Self {
        self.grouped = (self.words.len(), self.words.last().map_or(0, |word| word.bits));
        self
    }

    /// Appends the first `needed` fields.
    fn append_first<I: Number>(mut self, needed: usize, known: &[Option<Domain>], fields: Fields<I>) -> Self {
        let known = |field: usize| known.get(field).copied().flatten();
        let measured = if (0..needed).any(|field| known(field).is_none()) {
            extremes(self.count, fields)
        } else {
            None
        };
        for field in 0..needed {
            let (low, width) = match (known(field), &measured) {
                (Some(domain), _) => (domain.lo, width(domain.size.saturating_sub(1) as u64)),
                (None, Some((least, greatest))) => {
                    let span = greatest[field].wrapping_sub(least[field]) as u64;
                    (least[field], width(span))
                }
                (None, None) => (0, 0),
            };
            let word = self.word(width);
            parallel::update(&mut self.words[word].keys, |item, key| {
                // A field of all 64 bits has a word to itself.
                *key = key.checked_shl(width).unwrap_or(0) | fields.at(item, field).wrapping_sub(low) as u64;
            });
        }
        self
    }

    /// Returns the word that holds the next field, which has `width` bits.
    fn word(&mut self, width: u32) -> usize {
        match self.words.last_mut() {
            Some(last) if last.bits + width <= u64::BITS => last.bits += width,
            _ => self.words.push(Word {
                bits: width,
                keys: pages::filled(0, self.count),
            }),
        }
        self.words.len() - 1
    }

    /// Sorts the items by their tuples.
    pub(super) fn order(self) -> Order {
        if self.is_sorted() {
            let items = parallel::map(self.count, |item| item);
            return self.in_groups(items);
        }
        let index_bits = width(self.count as u64);
        let only = match &self.words[..] {
            [word] => Some(word).filter(|word| word.bits + index_bits <= u64::BITS),
            _ => None,
        };
        if let Some(word) = only {
            // The item's index is part of its key.
            let mut keys = parallel::map(self.count, |item| (word.keys[item] << index_bits) | item as u64);
            let mut nothing = pages::filled((), self.count);
            radix::sort(&mut keys, &mut nothing, index_bits..index_bits + word.bits);
            let items = parallel::map(self.count, |at| (keys[at] & ((1 << index_bits) - 1)) as usize);
            let shift = index_bits + word.bits - self.grouped.1;
            let group = |at: usize| keys[at].checked_shr(shift).unwrap_or(0);
            let starts = starts(self.count, |at| group(at) == group(at + 1));
            return Order { items, starts };
        }
        let mut items = parallel::map(self.count, |item| item);
        for word in self.words.iter().rev() {
            let mut keys = parallel::map(self.count, |at| word.keys[items[at]]);
            radix::sort(&mut keys, &mut items, 0..word.bits);
        }
        self.in_groups(items)
    }

    /// Finds the group starts of sorted items.
    fn in_groups(&self, items: Vec<usize>) -> Order {
        let starts = starts(items.len(), |at| self.is_same_group(items[at], items[at + 1]));
        Order { items, starts }
    }

    fn is_same_group(&self, left: usize, right: usize) -> bool {
        let (words, bits) = self.grouped;
        let differ = |word: &Word| word.keys[left] ^ word.keys[right];
        self.words[..words].split_last().is_none_or(|(last, whole)| {
            let below = last.bits - bits;
            whole.iter().all(|word| differ(word) == 0) && differ(last).checked_shr(below).unwrap_or(0) == 0
        })
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

/// Returns the number of bits needed for numbers up to `greatest`.
fn width(greatest: u64) -> u32 {
    u64::BITS - greatest.leading_zeros()
}

/// Returns the componentwise minimum and maximum of the items' fields; `None` without items.
pub(super) fn extremes<I: Number>(count: usize, fields: Fields<I>) -> Option<Extremes> {
    let pieces = parallel::ranges(count, parallel::pieces(count));
    widest(parallel::each(pieces, |items| fields.extremes(items)))
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
            let rows: Vec<i64> = tuples.iter().flat_map(|&(first, second, third)| [first, second, third % 5]).collect();
            let fields = |fields| Fields::new(&rows, 3, fields);
            let order = TupleKeys::new(tuples.len())
                .append(&[Some(Domain { lo: -2, size: 6 })], fields(0..1))
                .append(&[None; 2], fields(1..3))
                .order();
            prop_assert_eq!(order.items, expected);
        }
    }

    #[test]
    fn no_fields_and_no_items() {
        assert_eq!(
            TupleKeys::new(3)
                .append(&[], Fields::<i64>::new(&[], 0, 0..0))
                .order()
                .items,
            [0, 1, 2]
        );
        assert!(
            TupleKeys::new(0)
                .append(&[None], Fields::<i64>::new(&[], 1, 0..1))
                .order()
                .items
                .is_empty()
        );
    }
}
