//! Elements on their way to the ranks that own their rows.

use unisparse::{ErrorKind as TensorKind, Source};

use crate::element::{Element, of_words};
use crate::error::{Error, ErrorKind};
use crate::message::{all_to_all, counts};
use crate::partition::Partition;
use crate::world::World;

/// Maximum number of elements that a rank sends to others in one round.
const ROUND: usize = 1 << 18;

/// Coordinates and values of elements.
pub(super) struct ReceivedElements<T> {
    pub(super) coordinates: Vec<[usize; 2]>,
    pub(super) values: Vec<T>,
}

/// Sends the elements of each rank's source to the owners of their rows, in rounds. Returns the elements that this rank owns:
/// those from rank 0 first, those from each rank in the order of its source.
pub(super) fn to_owners<S>(
    world: &World,
    source: &S,
    shape: [usize; 2],
    rows: &Partition,
) -> Result<Vec<ReceivedElements<S::Scalar>>, Error>
where
    S: Source<2, Scalar: Element>,
{
    let mut transfer = Transfer {
        world,
        rows,
        rank: world.rank(),
        owner: world.rank(),
        outgoing: (0..world.size()).map(|_| Outgoing::new()).collect(),
        pending: 0,
        received: (0..world.size()).map(|_| ReceivedElements::new()).collect(),
        refused: None,
        failed: None,
    };
    source.for_each(|at, value| transfer.push(shape, at, value));
    while transfer.failed.is_none() && !transfer.round(true) {}
    match transfer.failed {
        Some(error) => Err(error),
        None => world.agree(transfer.refused.map_or(Ok(transfer.received), Err)),
    }
}

impl<T> ReceivedElements<T> {
    fn new() -> Self {
        ReceivedElements {
            coordinates: Vec::new(),
            values: Vec::new(),
        }
    }

    fn reserve(&mut self, count: usize) -> Result<(), Error> {
        let room = self.coordinates.try_reserve(count);
        let room = room.and_then(|()| self.values.try_reserve(count));
        room.map_err(|_| no_memory("elements", count))
    }
}

/// Elements for another rank, as words.
struct Outgoing<W> {
    places: Vec<u64>,
    values: Vec<W>,
}

impl<W> Outgoing<W> {
    fn new() -> Self {
        Outgoing {
            places: Vec::new(),
            values: Vec::new(),
        }
    }
}

struct Transfer<'a, T: Element> {
    world: &'a World,
    rows: &'a Partition,
    rank: usize,
    /// The owner of the element before, which is often that of the next.
    owner: usize,
    /// The elements of the next round for each rank, and the number of all.
    outgoing: Vec<Outgoing<T::Word>>,
    pending: usize,
    /// The elements from each rank; this rank's own are there at once.
    received: Vec<ReceivedElements<T>>,
    /// Why this rank cannot go on, which the next round reports to all.
    refused: Option<Error>,
    /// Why some rank could not go on. No rank makes another round.
    failed: Option<Error>,
}

impl<T: Element> Transfer<'_, T> {
    fn push(&mut self, shape: [usize; 2], at: [usize; 2], value: T) {
        if self.failed.is_some() || self.refused.is_some() {
            return;
        }
        if at[0] >= shape[0] || at[1] >= shape[1] {
            let ([row, column], [rows, columns]) = (at, shape);
            self.refused = Some(Error::new(
                ErrorKind::Tensor(TensorKind::OutOfBounds),
                format!("row {row}, column {column} is outside {rows} x {columns}"),
            ));
            return;
        }
        if !self.rows.of(self.owner).contains(&at[0]) {
            self.owner = self.rows.owner(at[0]);
        }
        if self.owner == self.rank {
            self.keep_own(at, value);
            return;
        }
        let outgoing = &mut self.outgoing[self.owner];
        outgoing.places.extend(at.map(|at| at as u64));
        let start = outgoing.values.len();
        outgoing.values.resize(start + T::WORDS, T::Word::default());
        value.write(&mut outgoing.values[start..]);
        self.pending += 1;
        if self.pending == ROUND {
            self.round(false);
        }
    }

    #[inline]
    fn keep_own(&mut self, at: [usize; 2], value: T) {
        let own = &mut self.received[self.owner];
        if own.values.len() == own.values.capacity() {
            // Twice as many, as a vector grows by itself.
            if let Err(error) = own.reserve(own.values.len().max(1024)) {
                self.refused = Some(error);
                return;
            }
        }
        own.coordinates.push(at);
        own.values.push(value);
    }

    /// Sends the elements that are collected. Returns whether all ranks are done.
    fn round(&mut self, is_done: bool) -> bool {
        let world = self.world;
        let (rank, size) = (self.rank as u64, world.size() as u64);
        let refused = if self.refused.is_some() { rank } else { size };
        let [lowest, all_done] = world.least([refused, u64::from(is_done)]);
        if lowest < size {
            self.failed = Some(world.error_of(lowest as usize, self.refused.take()));
            return true;
        }
        let to_each: Vec<usize> = self.outgoing.iter().map(|outgoing| outgoing.places.len() / 2).collect();
        let (mut places, mut values) = (Vec::new(), Vec::new());
        for outgoing in &mut self.outgoing {
            places.append(&mut outgoing.places);
            values.append(&mut outgoing.values);
        }
        self.pending = 0;
        let from_each = counts(world, &to_each);
        let places = all_to_all(world, &places, &to_each, &from_each, 2);
        let values = all_to_all(world, &values, &to_each, &from_each, T::WORDS);
        if let Err(error) = self.keep(&from_each, &places, &values) {
            self.refused = Some(error);
        }
        all_done == 1
    }

    /// Appends received elements to those of each rank.
    fn keep(&mut self, from_each: &[usize], places: &[u64], values: &[T::Word]) -> Result<(), Error> {
        let (mut places, mut values) = (places.chunks_exact(2), of_words::<T>(values));
        for (elements, count) in self.received.iter_mut().zip(from_each) {
            elements.reserve(*count)?;
            let places = places.by_ref().take(*count);
            let places = places.map(|place| [place[0] as usize, place[1] as usize]);
            elements.coordinates.extend(places);
            elements.values.extend(values.by_ref().take(*count));
        }
        Ok(())
    }
}

/// Returns the error for memory that the machine does not have.
pub(super) fn no_memory(what: &str, count: usize) -> Error {
    Error::new(
        ErrorKind::Tensor(TensorKind::Limit),
        format!("no memory for {count} {what}"),
    )
}
