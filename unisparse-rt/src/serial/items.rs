//! Members of a tensor: single values and arrays.

use core::fmt;
use core::marker::PhantomData;

use serde::de::value::UnitDeserializer;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

/// The greatest number of bytes that are reserved for an array before its entries are read.
const TRUSTED_BYTES: usize = 1 << 20;

/// A member that is written as it is.
pub struct Item<V>(pub V);

impl<V: Serialize> Serialize for Item<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Item<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        V::deserialize(deserializer).map(Item)
    }
}

/// An array. Entries that take no memory are written as their number, so that a short text cannot claim entries without end.
pub struct Items<V>(pub V);

impl<E: Serialize> Serialize for Items<&[E]> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if size_of::<E>() == 0 {
            return self.0.len().serialize(serializer);
        }
        serializer.collect_seq(self.0)
    }
}

impl<'de, E: Deserialize<'de> + Copy> Deserialize<'de> for Items<Vec<E>> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if size_of::<E>() > 0 {
            return deserializer.deserialize_seq(Entries(PhantomData)).map(Items);
        }
        let count = usize::deserialize(deserializer)?;
        let entry = E::deserialize(UnitDeserializer::<D::Error>::new())?;
        // Takes as many steps as `count` has bits.
        Ok(Items([entry].repeat(count)))
    }
}

/// Reads the entries of an array, and reserves no more memory at first than a short text may cause.
struct Entries<E>(PhantomData<E>);

impl<'de, E: Deserialize<'de>> Visitor<'de> for Entries<E> {
    type Value = Vec<E>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Vec<E>, A::Error> {
        let trusted = TRUSTED_BYTES / size_of::<E>().max(1);
        let mut all = Vec::new();
        reserve::<E, A::Error>(&mut all, entries.size_hint().unwrap_or(0).min(trusted))?;
        while let Some(entry) = entries.next_element()? {
            if all.len() == all.capacity() {
                let more = all.len().max(4);
                reserve(&mut all, more)?;
            }
            all.push(entry);
        }
        Ok(all)
    }
}

fn reserve<E, X: Error>(all: &mut Vec<E>, more: usize) -> Result<(), X> {
    all.try_reserve(more)
        .map_err(|_| X::custom(format_args!("no memory for {} entries", all.len().saturating_add(more))))
}
