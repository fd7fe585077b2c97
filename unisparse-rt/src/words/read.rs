//! Reads arrays from words.

use super::write::visit;
use super::{Word, WordField, WordInteger};
use crate::element::{Bits, Index, Stored};
use crate::error::{Error, ErrorKind};
use crate::format::Tree;

/// Returns the `idx` array of a level with this field. A hole has the coordinate `lowest`.
///
/// # Errors
/// `Overflow` for a coordinate that does not fit the array.
pub fn column<I: Index>(
    words: &[impl WordInteger],
    word: &Word,
    field: &WordField,
    lowest: i64,
) -> Result<Vec<I>, Error> {
    let coordinate = |(position, bits): (usize, u128)| {
        let coordinate = match word.filler {
            Some(filler) if filler == bits => lowest,
            _ => field.coordinate(bits),
        };
        I::try_from_i64(coordinate).ok_or_else(|| {
            Error::new(
                ErrorKind::Overflow,
                format!("level `{}`", field.name),
                Some(position),
                coordinate.to_string(),
                format!("a coordinate of type {}", I::NAME),
            )
        })
    };
    words
        .iter()
        .map(|word| word.bits())
        .enumerate()
        .map(coordinate)
        .collect()
}

/// Returns the values in a field of words.
///
/// # Errors
/// `Structure` for bits that are no value.
pub fn values<T: Bits + Stored>(words: &[impl WordInteger], word: &Word, field: &WordField) -> Result<Vec<T>, Error> {
    let value = |(position, bits): (usize, u128)| {
        let bits = match word.filler {
            Some(filler) if filler == bits => return Ok(T::FILL),
            _ => field.of(bits),
        };
        T::from_bits(bits).ok_or_else(|| {
            let found = format!("{bits:#x}");
            Error::new(
                ErrorKind::Structure,
                "values of words",
                Some(position),
                found,
                format!("a value of {} bits", T::BITS),
            )
        })
    };
    words.iter().map(|word| word.bits()).enumerate().map(value).collect()
}

/// Checks that a tensor that was read from words has exactly these.
///
/// # Errors
/// `Structure` for the first word that differs. The error names the level whose field differs. As
/// [`words`](super::words), too.
pub fn check_words<F: Tree<N, M, Scalar: Bits>, const N: usize, const M: usize>(
    tensor: &F,
    word: &Word,
    words: &[impl WordInteger],
) -> Result<(), Error> {
    let mut given = words.iter().map(|word| word.bits()).enumerate();
    let mut different = None;
    visit(tensor, word, |_, expected| {
        let Some((position, found)) = given.next() else { return };
        if found != expected && different.is_none() {
            different = Some((position, found, expected));
        }
    })?;
    let Some((position, found, expected)) = different else {
        return Ok(());
    };
    let field = word.fields.iter().find(|field| field.of(found) != field.of(expected));
    let (subject, found, expected) = match field {
        Some(field) if field.level.is_some() && word.filler != Some(expected) => (
            format!("level `{}`", field.name),
            field.coordinate(found).to_string(),
            field.coordinate(expected).to_string(),
        ),
        Some(_) => ("words".to_owned(), format!("{found:#x}"), format!("{expected:#x}")),
        None => (
            "words".to_owned(),
            format!("{found:#x}"),
            format!("{expected:#x}: bits of no field are zero"),
        ),
    };
    Err(Error::new(
        ErrorKind::Structure,
        subject,
        Some(position),
        found,
        expected,
    ))
}
