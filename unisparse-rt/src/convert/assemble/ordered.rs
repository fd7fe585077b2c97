//! Brings elements into storage order by the chosen strategy, and makes the array of values.

use super::append::append;
use super::keys::{Key, is_countable};
use super::layout::Layout;
use super::levels::Levels;
use super::sequence::{Arranged, Held, Sequence};
use super::sort::{self, ScatterKey};
use super::strategy::Way;
use super::words::ElementWords;
use crate::element::Stored;
use crate::error::{Error, ErrorKind};
use crate::machine::pages;
use crate::source::Duplicates;

/// Elements in storage order: their keys are in `levels`.
pub(super) struct Ordered<T> {
    pub(super) levels: Levels,
    pub(super) values: Vec<T>,
}

impl<T: Stored> Ordered<T> {
    /// Returns the values at the positions of the last level; holes are zero.
    pub(super) fn values(mut self) -> Result<Vec<T>, Error> {
        if !self.levels.holes {
            self.levels.reserve(self.levels.count as u128, size_of::<T>())?;
            return Ok(self.values);
        }
        let mut values = empty(&mut self.levels)?;
        let (held, places) = (&self.values[..], &mut values[..]);
        self.levels
            .each_value(&mut |position, element| places[position] = held[element]);
        Ok(values)
    }
}

/// Returns a zero for each position of the level built last.
pub(super) fn empty<T: Stored>(levels: &mut Levels) -> Result<Vec<T>, Error> {
    let count = levels.count;
    levels.reserve(count as u128, size_of::<T>())?;
    if Vec::<T>::new().try_reserve_exact(count).is_err() {
        return Err(too_large(levels.format, count as u128 * size_of::<T>() as u128));
    }
    Ok(pages::filled_in_part(T::FILL, count, levels.elements))
}

#[cold]
fn too_large(format: &str, bytes: u128) -> Error {
    let found = format!("values of {bytes} bytes");
    Error::new(
        ErrorKind::Limit,
        format!("format `{format}`"),
        None,
        found,
        "what the machine can allocate",
    )
}

/// Returns the elements in the order of their words. Of several at one coordinate, the `policy` makes one, or rejects them.
///
/// Without a `policy`, no coordinate occurs twice. Fails with the level coordinates of an element that the policy rejects.
pub(super) fn order<T: Stored>(
    elements: &dyn ElementWords<T>,
    layout: &Layout,
    way: Way,
    policy: Option<Duplicates>,
) -> Result<Arranged<T>, Vec<i64>> {
    let narrow = match way {
        Way::Sort => sort::is_narrow::<T>(elements.count(), layout),
        _ => layout.bits <= u32::BITS,
    };
    if narrow {
        keep(arranged::<T, u32>(elements, layout, way), layout, policy)
    } else if layout.bits <= u64::BITS && (way != Way::Sort || is_countable(elements.count())) {
        keep(arranged::<T, u64>(elements, layout, way), layout, policy)
    } else {
        keep(sort::sort_wide(elements, layout), layout, policy)
    }
}

/// Brings the elements into storage order in one of these ways.
fn arranged<T: Stored, K: ScatterKey>(elements: &dyn ElementWords<T>, layout: &Layout, way: Way) -> Sequence<T, K> {
    match way {
        Way::Append => append(elements, layout),
        Way::Scatter => sort::scatter(elements, layout),
        Way::Place | Way::Sort => K::sort(elements, layout),
    }
}

/// Leaves one element at each coordinate, as the policy says.
fn keep<T: Stored, K: Held + Key>(
    mut sequence: Sequence<T, K>,
    layout: &Layout,
    policy: Option<Duplicates>,
) -> Result<Arranged<T>, Vec<i64>> {
    if let Some(policy) = policy {
        let coordinates = |(bin, key): (usize, K)| {
            let levels = layout.levels.iter();
            levels.map(|level| level.coordinate(bin, key)).collect::<Vec<_>>()
        };
        sequence.resolve_duplicates(policy, layout).map_err(coordinates)?;
    }
    Ok(Arranged {
        keys: K::held(sequence.keys),
        starts: sequence.starts,
        values: sequence.values,
    })
}
