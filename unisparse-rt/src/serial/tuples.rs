//! Arrays of tuples, which `serde` itself implements for at most sixteen items.

use core::fmt;
use core::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeTuple, Serializer};

use super::items::Items;

/// An array of tuples.
pub struct Tuples<V>(pub V);

/// A tuple with its items one after another.
#[derive(Clone, Copy)]
struct Row<E>(E);

/// Tuples that are written.
pub trait Written {
    /// The number of items.
    const LENGTH: usize;
    /// Writes the items.
    ///
    /// # Errors
    /// Those of the format.
    fn write<S: SerializeTuple>(&self, to: &mut S) -> Result<(), S::Error>;
}

/// Tuples that are read.
pub trait Readable<'de>: Copy {
    /// The number of items.
    const LENGTH: usize;
    /// Reads the items.
    ///
    /// # Errors
    /// Those of the format, and a length that is too small.
    fn read<A: SeqAccess<'de>>(from: &mut A) -> Result<Self, A::Error>;
}

impl<E: Written> Serialize for Row<&E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(E::LENGTH)?;
        self.0.write(&mut tuple)?;
        tuple.end()
    }
}

impl<'de, E: Readable<'de>> Deserialize<'de> for Row<E> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RowVisitor<E>(PhantomData<E>);
        impl<'de, E: Readable<'de>> Visitor<'de> for RowVisitor<E> {
            type Value = Row<E>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{} items", E::LENGTH)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Row<E>, A::Error> {
                E::read(&mut from).map(Row)
            }
        }
        deserializer.deserialize_tuple(E::LENGTH, RowVisitor(PhantomData))
    }
}

impl<E: Written> Serialize for Tuples<&[E]> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Row))
    }
}

impl<'de, E: Readable<'de>> Deserialize<'de> for Tuples<Vec<E>> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Items(rows) = Items::<Vec<Row<E>>>::deserialize(deserializer)?;
        Ok(Tuples(rows.into_iter().map(|Row(row)| row).collect()))
    }
}

macro_rules! tuple {
    ($length:literal $($name:ident $at:tt)*) => {
        impl<$($name: Serialize),*> Written for ($($name,)*) {
            const LENGTH: usize = $length;
            fn write<S: SerializeTuple>(&self, to: &mut S) -> Result<(), S::Error> {
                $(to.serialize_element(&self.$at)?;)*
                Ok(())
            }
        }
        impl<'de, $($name: Deserialize<'de> + Copy),*> Readable<'de> for ($($name,)*) {
            const LENGTH: usize = $length;
            fn read<X: SeqAccess<'de>>(from: &mut X) -> Result<Self, X::Error> {
                Ok(($(from.next_element::<$name>()?.ok_or_else(|| X::Error::invalid_length($at, &"more items"))?,)*))
            }
        }
    };
}

/// Implements the traits for tuples of two items up to all items given.
macro_rules! tuples {
    ([$($name:ident $at:tt)*]) => {};
    ([$($name:ident $at:tt)*] $next:ident $number:tt $length:literal $($rest:tt)*) => {
        tuple!($length $($name $at)* $next $number);
        tuples!([$($name $at)* $next $number] $($rest)*);
    };
}

// As many as an array of tuples can have: the coordinates of sixteen levels, and a value.
tuples!(
    [A 0] B 1 2 C 2 3 D 3 4 E 4 5 F 5 6 G 6 7 H 7 8 I 8 9 J 9 10 K 10 11 L 11 12 M 12 13 N 13 14 O 14 15 P 15 16 Q 16 17
);
