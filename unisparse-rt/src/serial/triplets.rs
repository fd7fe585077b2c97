//! Triplets, owned and borrowed.

use core::fmt;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeTuple, Serializer};

use super::items::{Item, Items};
use super::members::{deserialize, serialize};
use crate::element::{Index, Stored};
use crate::source::{Duplicates, Source};
use crate::triplets::{Triplets, TripletsView};

const NAMES: &[&str] = &["layout", "shape", "coordinates", "values", "duplicates"];

/// The names of the policies, in the order of [`POLICIES`].
const POLICY_NAMES: [&str; 4] = ["sum", "first", "last", "reject"];

const POLICIES: [Duplicates; 4] = [Duplicates::Sum, Duplicates::First, Duplicates::Last, Duplicates::Reject];

/// The layout of triplets of `N` dims.
fn layout<const N: usize>() -> String {
    format!("triplets of {N} dims")
}

/// A coordinate in each dim, or the extents.
#[derive(Clone, Copy)]
struct Coordinate<const N: usize>([usize; N]);

impl<const N: usize> Serialize for Coordinate<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(N)?;
        self.0.iter().try_for_each(|at| tuple.serialize_element(at))?;
        tuple.end()
    }
}

impl<'de, const N: usize> Deserialize<'de> for Coordinate<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_tuple(N, Numbers::<N>)
    }
}

struct Numbers<const N: usize>;

impl<'de, const N: usize> Visitor<'de> for Numbers<N> {
    type Value = Coordinate<N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{N} numbers")
    }

    fn visit_unit<X: Error>(self) -> Result<Coordinate<N>, X> {
        // The only coordinate of a tensor without dims.
        if N == 0 {
            Ok(Coordinate([0; N]))
        } else {
            Err(X::invalid_length(0, &self))
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Coordinate<N>, A::Error> {
        let mut numbers = [0; N];
        for (dim, number) in numbers.iter_mut().enumerate() {
            *number = from
                .next_element()?
                .ok_or_else(|| A::Error::invalid_length(dim, &Numbers::<N>))?;
        }
        Ok(Coordinate(numbers))
    }
}

/// Coordinates, written as [`Items`] are.
struct Each<I>(I);

impl<I: ExactSizeIterator<Item: Serialize> + Clone> Serialize for Each<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if size_of::<I::Item>() == 0 {
            return self.0.len().serialize(serializer);
        }
        serializer.collect_seq(self.0.clone())
    }
}

fn policy(duplicates: Duplicates) -> &'static str {
    let at = POLICIES.iter().position(|&policy| policy == duplicates);
    POLICY_NAMES[at.unwrap_or_default()]
}

/// Written as the shape, the coordinates and the values in the order pushed, and the policy for duplicates.
impl<T: Stored + Serialize, const N: usize> Serialize for Triplets<T, N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let coordinates = Each(self.coordinates().iter().map(|&at| Coordinate(at)));
        let members = (Item(policy(Source::duplicates(self))), ());
        let members = (coordinates, (Items(self.values()), members));
        serialize(
            serializer,
            "Triplets",
            NAMES,
            &layout::<N>(),
            &(Coordinate(self.shape()), members),
        )
    }
}

/// Written as [`Triplets`] are, and read as these.
impl<T: Stored + Serialize, const N: usize, I: Index> Serialize for TripletsView<'_, T, N, I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let indices = self.coordinates();
        let coordinates = Each((0..self.len()).map(|at| Coordinate(indices.map(|indices| indices[at].to_usize()))));
        let members = (Item(policy(Source::duplicates(self))), ());
        let members = (coordinates, (Items(self.values()), members));
        serialize(
            serializer,
            "Triplets",
            NAMES,
            &layout::<N>(),
            &(Coordinate(self.shape()), members),
        )
    }
}

/// What is read: the shape, the coordinates, the values, and the name of the policy for duplicates.
type Read<T, const N: usize> = (
    Coordinate<N>,
    (Items<Vec<Coordinate<N>>>, (Items<Vec<T>>, (Item<String>, ()))),
);

impl<'de, T: Stored + Deserialize<'de>, const N: usize> Deserialize<'de> for Triplets<T, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read: Read<T, N> = deserialize(deserializer, "Triplets", NAMES, &layout::<N>())?;
        let (Coordinate(shape), (Items(coordinates), (Items(values), (Item(duplicates), ())))) = read;
        let at = POLICY_NAMES.iter().position(|&name| name == duplicates);
        let at = at.ok_or_else(|| D::Error::unknown_variant(&duplicates, &POLICY_NAMES))?;
        if coordinates.len() != values.len() {
            let (found, expected) = (values.len(), coordinates.len());
            return Err(D::Error::custom(format_args!(
                "found {found} values, expected {expected}, one for each coordinate"
            )));
        }
        let triplets = coordinates.into_iter().map(|Coordinate(at)| at).zip(values);
        let triplets = Triplets::try_from_triplets(shape, triplets).map_err(D::Error::custom)?;
        Ok(triplets.duplicates(POLICIES[at]))
    }
}
