//! Stored types that are not numbers.

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use crate::element::{Narrow, Pattern, Scalar};

/// Written as nothing.
impl<T> Serialize for Pattern<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl<'de, T> Deserialize<'de> for Pattern<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <()>::deserialize(deserializer).map(|()| Pattern::new())
    }
}

/// Written as the number that is stored.
impl<S: Scalar + Serialize, T: Scalar> Serialize for Narrow<S, T> {
    fn serialize<X: Serializer>(&self, serializer: X) -> Result<X::Ok, X::Error> {
        self.stored().serialize(serializer)
    }
}

impl<'de, S: Deserialize<'de>, T> Deserialize<'de> for Narrow<S, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        S::deserialize(deserializer).map(Narrow::new)
    }
}
