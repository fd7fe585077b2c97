//! Other values for the positions of a tensor, whose arrays of coordinates stay as they are.

use crate::element::Stored;
use crate::error::{Error, ErrorKind};
use crate::source::{Duplicates, Source};

/// The positions of a tensor, where elements of a source are looked up.
pub(crate) struct Places<const N: usize, A, F> {
    /// The extent of each dim.
    pub(crate) shape: [usize; N],
    /// Number of positions.
    pub(crate) stored: usize,
    /// The coordinates and positions of the elements, in storage order.
    pub(crate) elements: A,
    /// Returns the position of a coordinate.
    pub(crate) find: F,
}

/// Returns a value for each position: those of `source`, zeros elsewhere. `O(1)` for each element while these come in storage
/// order, from the first that does not one search for each.
///
/// # Errors
/// `Shape` if the shapes differ, `Structure` for an element without a position, `Duplicate` for one that the policy of `source`
/// refuses.
pub(crate) fn values_of<S, A, F, const N: usize>(places: Places<N, A, F>, source: &S) -> Result<Vec<S::Scalar>, Error>
where
    S: Source<N>,
    A: Iterator<Item = ([usize; N], usize)>,
    F: Fn([usize; N]) -> Option<usize>,
{
    if source.shape() != places.shape {
        return Err(other_shape(&source.shape(), &places.shape));
    }
    let Places {
        stored,
        mut elements,
        find,
        ..
    } = places;
    let mut values = vec![S::Scalar::FILL; stored];
    let mut filled = vec![false; stored];
    let policy = source.duplicates().of::<S::Scalar>();
    let (mut in_order, mut result) = (true, Ok(()));
    source.for_each(|at, value| {
        if result.is_err() {
            return;
        }
        let next = if in_order { elements.next() } else { None };
        let expected = next.filter(|&(expected, _)| expected == at);
        in_order = expected.is_some();
        let Some(position) = expected.map(|(_, position)| position).or_else(|| find(at)) else {
            result = Err(outside_pattern(at));
            return;
        };
        let place = &mut values[position];
        if !std::mem::replace(&mut filled[position], true) {
            *place = value;
            return;
        }
        match (policy, S::Scalar::PLUS) {
            (Duplicates::Sum, Some(plus)) => *place = plus(*place, value),
            (Duplicates::Last, _) => *place = value,
            (Duplicates::First, _) => {}
            (Duplicates::Sum | Duplicates::Reject, _) => result = Err(repeated(at)),
        }
    });
    result.map(|()| values)
}

#[cold]
fn other_shape(found: &[usize], expected: &[usize]) -> Error {
    Error::new(
        ErrorKind::Shape,
        "source",
        None,
        format!("{found:?}"),
        format!("{expected:?}"),
    )
}

fn outside_pattern<const N: usize>(at: [usize; N]) -> Error {
    Error::new(
        ErrorKind::Structure,
        "source",
        None,
        format!("an element at {at:?}"),
        "elements only where the tensor stores some (convert the source to store others)",
    )
}

fn repeated<const N: usize>(at: [usize; N]) -> Error {
    Error::new(
        ErrorKind::Duplicate,
        "source",
        None,
        format!("coordinate {at:?} twice"),
        "each coordinate once (choose another `Duplicates` policy)",
    )
}

/// The error of a value that belongs elsewhere than the one that it replaces.
pub(crate) fn displaced<T: Stored>(format: &str, position: usize, [old, new]: [T; 2]) -> Error {
    Error::new(
        ErrorKind::Structure,
        format!("format `{format}`"),
        Some(position),
        format!("{new:?} in place of {old:?}"),
        "a value for which the queries of the format, which compare values, give the same place (assemble the tensor again)",
    )
}
