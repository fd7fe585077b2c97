//! Printers: loops and levels to a target language.

pub(crate) mod c;
pub(crate) mod rust;
