//! The columns of other ranks that a rank reads, and the messages that bring them.

use crate::element::{Element, of_words, to_words};
use crate::message::{Part, all_to_all, counts, exchange};
use crate::partition::Partition;
use crate::world::World;

/// Which elements of a vector a rank sends to others before a product, and which it receives.
#[derive(Debug, Clone)]
pub(crate) struct Halo {
    /// The columns of others, ascending, so that those of one rank follow each other.
    pub(crate) columns: Vec<usize>,
    /// The columns that each rank sends to this one: ranges of `columns`.
    pub(crate) receives: Vec<Part>,
    /// The columns of this rank that others read, counted from its first one: those for the lowest rank first.
    pub(crate) wanted: Vec<usize>,
    /// The columns that each rank wants: ranges of `wanted`.
    pub(crate) sends: Vec<Part>,
}

impl Halo {
    /// Requests these columns, which ascend, from their owners.
    pub(super) fn new(world: &World, partition: &Partition, columns: Vec<usize>) -> Self {
        let mut from_each = vec![0; world.size()];
        columns
            .iter()
            .for_each(|column| from_each[partition.owner(*column)] += 1);
        let to_each = counts(world, &from_each);
        let requested: Vec<u64> = columns.iter().map(|column| *column as u64).collect();
        let first = partition.of(world.rank()).start;
        let wanted = all_to_all(world, &requested, &from_each, &to_each, 1);
        Halo {
            receives: crate::message::parts(from_each),
            sends: crate::message::parts(to_each),
            wanted: wanted.into_iter().map(|column| column as usize - first).collect(),
            columns,
        }
    }

    /// Returns the rows of `own` that belong to the columns of other ranks, each of `width` elements, and meanwhile runs `work`.
    pub(crate) fn fetch<T: Element, R>(
        &self,
        world: &World,
        own: &[T],
        width: usize,
        work: impl FnOnce() -> R,
    ) -> (Vec<T>, R) {
        let words = width * T::WORDS;
        let mut send = vec![T::Word::default(); self.wanted.len() * words];
        if words > 0 {
            for (row, to) in self.wanted.iter().zip(send.chunks_exact_mut(words)) {
                let row = &own[row * width..(row + 1) * width];
                row.iter()
                    .zip(to.chunks_exact_mut(T::WORDS))
                    .for_each(|(element, to)| element.write(to));
            }
        }
        let mut received = vec![T::Word::default(); self.columns.len() * words];
        let (sends, receives) = (scaled(&self.sends, words), scaled(&self.receives, words));
        let result = exchange(world, (&sends, &send), (&receives, &mut received), work);
        (of_words(&received).collect(), result)
    }

    /// Sends `rows`, which belong to the columns of other ranks, to their owners, and meanwhile runs `work`. Returns what the
    /// others send, for the columns in `wanted`.
    pub(crate) fn give_back<T: Element, R>(
        &self,
        world: &World,
        rows: &[T],
        width: usize,
        work: impl FnOnce() -> R,
    ) -> (Vec<T>, R) {
        let (send, words) = (to_words(rows.iter().copied()), width * T::WORDS);
        let mut received = vec![T::Word::default(); self.wanted.len() * words];
        let (sends, receives) = (scaled(&self.receives, words), scaled(&self.sends, words));
        let result = exchange(world, (&sends, &send), (&receives, &mut received), work);
        (of_words(&received).collect(), result)
    }
}

/// Returns the words of parts whose items have `words` words each.
fn scaled(parts: &[Part], words: usize) -> Vec<Part> {
    let scale = |(rank, range): &Part| (*rank, range.start * words..range.end * words);
    parts.iter().map(scale).collect()
}
