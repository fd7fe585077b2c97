//! Elements on their way to the ranks that own their rows.

use unisparse::{ErrorKind as TensorKind, Source};

use crate::element::{Element, of_words, to_words};
use crate::error::{Error, ErrorKind};
use crate::message::{all_to_all, counts};
use crate::partition::Partition;
use crate::world::World;

/// Maximum number of elements that a rank sends in one round.
const ROUND: usize = 1 << 18;

/// Coordinates and values of elements.
pub(super) struct Elements<T> {
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
) -> Result<Vec<Elements<S::Scalar>>, Error>
where
    S: Source<2, Scalar: Element>,
{
    let mut transfer = Transfer {
        world,
        rows,
        coordinates: Vec::new(),
        values: Vec::new(),
        received: (0..world.size())
            .map(|_| Elements {
                coordinates: Vec::new(),
                values: Vec::new(),
            })
            .collect(),
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

struct Transfer<'a, T> {
    world: &'a World,
    rows: &'a Partition,
    /// The elements of the next round.
    coordinates: Vec<[usize; 2]>,
    values: Vec<T>,
    received: Vec<Elements<T>>,
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
        self.coordinates.push(at);
        self.values.push(value);
        if self.values.len() == ROUND {
            self.round(false);
        }
    }

    /// Sends the elements that are collected. Returns whether all ranks are done.
    fn round(&mut self, is_done: bool) -> bool {
        let world = self.world;
        let (rank, size) = (world.rank() as u64, world.size() as u64);
        let refused = if self.refused.is_some() { rank } else { size };
        let [lowest, all_done] = world.least([refused, u64::from(is_done)]);
        if lowest < size {
            self.failed = Some(world.error_of(lowest as usize, self.refused.take()));
            return true;
        }
        let mut to_each = vec![0; world.size()];
        let owners: Vec<usize> = self.coordinates.iter().map(|[row, _]| self.rows.owner(*row)).collect();
        owners.iter().for_each(|owner| to_each[*owner] += 1);
        let mut order: Vec<usize> = (0..owners.len()).collect();
        order.sort_by_key(|element| owners[*element]);
        let places: Vec<u64> = order
            .iter()
            .flat_map(|element| self.coordinates[*element].map(|at| at as u64))
            .collect();
        let values = to_words(order.iter().map(|element| self.values[*element]));
        self.coordinates.clear();
        self.values.clear();
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
            let room = elements
                .coordinates
                .try_reserve(*count)
                .and(elements.values.try_reserve(*count));
            room.map_err(|_| no_memory("elements", *count))?;
            let places = places.by_ref().take(*count);
            elements
                .coordinates
                .extend(places.map(|place| [place[0] as usize, place[1] as usize]));
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
