//! Printers: loops and levels to a target language.

pub(crate) mod c;
#[cfg(test)]
mod opencl;
pub(crate) mod rust;
pub(crate) mod text;
