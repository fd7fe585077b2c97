//! The members of a tensor as a list of pairs, written as a struct and read from a map or a sequence.

use core::fmt;
use core::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeStruct, Serializer};

/// Members to write: a pair of the first and the others, and `()` at the end.
pub trait Members {
    /// Writes the members in order under these names.
    ///
    /// # Errors
    /// Those of the format.
    fn write<S: SerializeStruct>(&self, names: &[&'static str], to: &mut S) -> Result<(), S::Error>;
}

impl Members for () {
    fn write<S: SerializeStruct>(&self, _: &[&'static str], _: &mut S) -> Result<(), S::Error> {
        Ok(())
    }
}

impl<V: Serialize, R: Members> Members for (V, R) {
    fn write<S: SerializeStruct>(&self, names: &[&'static str], to: &mut S) -> Result<(), S::Error> {
        to.serialize_field(names[0], &self.0)?;
        self.1.write(&names[1..], to)
    }
}

/// Members to read.
pub trait MembersOf<'de>: Sized {
    /// The members that are read already.
    type Read: Default;

    /// Reads the members in order.
    ///
    /// # Errors
    /// Those of the format, and a length that is too small, where `before` members are read already.
    fn in_order<A: SeqAccess<'de>>(from: &mut A, before: usize) -> Result<Self, A::Error>;

    /// Reads the member `at`.
    ///
    /// # Errors
    /// Those of the format, and a member that is read already.
    fn read_one<A: MapAccess<'de>>(
        read: &mut Self::Read,
        at: usize,
        names: &[&'static str],
        from: &mut A,
    ) -> Result<(), A::Error>;

    /// Returns the members.
    ///
    /// # Errors
    /// The first that is missing.
    fn all<X: Error>(read: Self::Read, names: &[&'static str]) -> Result<Self, X>;
}

impl<'de> MembersOf<'de> for () {
    type Read = ();

    fn in_order<A: SeqAccess<'de>>(_: &mut A, _: usize) -> Result<(), A::Error> {
        Ok(())
    }

    fn read_one<A: MapAccess<'de>>(_: &mut (), _: usize, _: &[&'static str], from: &mut A) -> Result<(), A::Error> {
        from.next_value().map(|IgnoredAny| ())
    }

    fn all<X: Error>((): (), _: &[&'static str]) -> Result<(), X> {
        Ok(())
    }
}

impl<'de, V: Deserialize<'de>, R: MembersOf<'de>> MembersOf<'de> for (V, R) {
    type Read = (Option<V>, R::Read);

    fn in_order<A: SeqAccess<'de>>(from: &mut A, before: usize) -> Result<Self, A::Error> {
        let first = from.next_element()?;
        let first = first.ok_or_else(|| A::Error::invalid_length(before, &"all members of the tensor"))?;
        Ok((first, R::in_order(from, before + 1)?))
    }

    fn read_one<A: MapAccess<'de>>(
        read: &mut Self::Read,
        at: usize,
        names: &[&'static str],
        from: &mut A,
    ) -> Result<(), A::Error> {
        if at > 0 {
            return R::read_one(&mut read.1, at - 1, &names[1..], from);
        }
        if read.0.is_some() {
            return Err(A::Error::duplicate_field(names[0]));
        }
        read.0 = Some(from.next_value()?);
        Ok(())
    }

    fn all<X: Error>(read: Self::Read, names: &[&'static str]) -> Result<Self, X> {
        let first = read.0.ok_or_else(|| X::missing_field(names[0]))?;
        Ok((first, R::all(read.1, &names[1..])?))
    }
}

/// Writes a tensor as a struct called `name`: its layout, then its members. `names` are those of the layout and the members.
///
/// # Errors
/// Those of the format.
pub fn serialize<S: Serializer, M: Members>(
    serializer: S,
    name: &'static str,
    names: &'static [&'static str],
    layout: &str,
    members: &M,
) -> Result<S::Ok, S::Error> {
    let mut to = serializer.serialize_struct(name, names.len())?;
    to.serialize_field(names[0], layout)?;
    members.write(&names[1..], &mut to)?;
    to.end()
}

/// Reads the members of a tensor whose layout is `layout`.
///
/// # Errors
/// Those of the format; another layout; members that are missing, unknown or there twice.
pub fn deserialize<'de, D: Deserializer<'de>, M: MembersOf<'de>>(
    deserializer: D,
    name: &'static str,
    names: &'static [&'static str],
    layout: &str,
) -> Result<M, D::Error> {
    let tensor = Tensor {
        name,
        names,
        layout,
        members: PhantomData,
    };
    deserializer.deserialize_struct(name, names, tensor)
}

struct Tensor<'a, M> {
    name: &'static str,
    names: &'static [&'static str],
    layout: &'a str,
    members: PhantomData<M>,
}

impl<'de, M: MembersOf<'de>> Visitor<'de> for Tensor<'_, M> {
    type Value = M;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a tensor in the format `{}`", self.name)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<M, A::Error> {
        let layout = from.next_element_seed(LayoutName(self.layout))?;
        layout.ok_or_else(|| A::Error::invalid_length(0, &"the layout of the tensor"))?;
        M::in_order(&mut from, 1)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<M, A::Error> {
        let (mut has_layout, mut read) = (false, M::Read::default());
        while let Some(at) = from.next_key_seed(Name(self.names))? {
            match at.checked_sub(1) {
                Some(at) => M::read_one(&mut read, at, &self.names[1..], &mut from)?,
                None if has_layout => return Err(A::Error::duplicate_field(self.names[0])),
                None => {
                    from.next_value_seed(LayoutName(self.layout))?;
                    has_layout = true;
                }
            }
        }
        if !has_layout {
            return Err(A::Error::missing_field(self.names[0]));
        }
        M::all(read, &self.names[1..])
    }
}

/// Reads a layout, which has to be this one.
struct LayoutName<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for LayoutName<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for LayoutName<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the layout `{}`", self.0)
    }

    fn visit_str<X: Error>(self, layout: &str) -> Result<(), X> {
        if layout == self.0 {
            return Ok(());
        }
        Err(X::custom(format_args!(
            "found the layout `{layout}`, expected `{}`",
            self.0
        )))
    }
}

/// Reads the name of a member, or its number, and returns its number.
struct Name(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Name {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Name {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of {}", self.0.join(", "))
    }

    fn visit_u64<X: Error>(self, at: u64) -> Result<usize, X> {
        let found = usize::try_from(at).ok().filter(|&at| at < self.0.len());
        found.ok_or_else(|| X::custom(format_args!("found member {at}, expected one below {}", self.0.len())))
    }

    fn visit_str<X: Error>(self, name: &str) -> Result<usize, X> {
        let found = self.0.iter().position(|&known| known == name);
        found.ok_or_else(|| X::unknown_field(name, self.0))
    }

    fn visit_bytes<X: Error>(self, name: &[u8]) -> Result<usize, X> {
        self.visit_str(&String::from_utf8_lossy(name))
    }
}
