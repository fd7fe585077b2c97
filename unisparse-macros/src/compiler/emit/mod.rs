//! Printers: loops and levels to a target language.

pub(crate) mod rust;
