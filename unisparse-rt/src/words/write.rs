//! Makes words from arrays.

use super::{Word, WordField, WordInteger};
use crate::array::Domain;
use crate::element::{Bits, Stored as _};
use crate::error::{Error, ErrorKind};
use crate::format::{Kind, Tree};
use crate::source::Elements;

/// Returns the word of each position of a tensor, in storage order.
///
/// # Errors
/// `Overflow` for a coordinate that does not fit its field, `Structure` for an element whose word is that of a hole.
pub fn words<F: Tree<N, M, Scalar: Bits>, W: WordInteger, const N: usize, const M: usize>(
    tensor: &F,
    word: &Word,
) -> Result<Vec<W>, Error> {
    let mut words = Vec::with_capacity(tensor.stored());
    visit(tensor, word, |_, bits| words.push(W::of(bits)))?;
    Ok(words)
}

/// Passes the coordinates of the levels and the word of each position to `visit`, in storage order. `O(stored)`.
///
/// # Errors
/// As [`words`].
pub fn visit<F: Tree<N, M, Scalar: Bits>, const N: usize, const M: usize>(
    tensor: &F,
    word: &Word,
    mut visit: impl FnMut(&[i64; M], u128),
) -> Result<(), Error> {
    let domains = F::domains(tensor.shape(), &tensor.sizes())?;
    let is_fixed = |level: usize| matches!(F::LEVELS[level].kind, Kind::Fixed);
    let fixed = (0..M).any(is_fixed);
    // Direct levels do not read the results of queries.
    let results = vec![0; F::QUERIES];
    let mut elements = Elements::<F, N, M>::new(tensor);
    while let Some((position, mut coordinates, at)) = elements.next_position() {
        let value = tensor.value(position);
        if let Some(at) = at.filter(|_| fixed) {
            let all = F::encode(at, &results);
            (0..M)
                .filter(|&level| is_fixed(level))
                .for_each(|level| coordinates[level] = all[level]);
        }
        if let Some(filler) = word
            .filler
            .filter(|_| is_hole::<F, N, M>(word, value, &coordinates, &domains))
        {
            visit(&coordinates, filler);
            continue;
        }
        let bits = coded(word, &coordinates, value.to_bits(), position)?;
        if word.filler == Some(bits) {
            return Err(Error::new(
                ErrorKind::Structure,
                "the word of an element",
                Some(position),
                format!("{bits:#x}"),
                "another word than that of a hole",
            ));
        }
        visit(&coordinates, bits);
    }
    Ok(())
}

/// Whether the arrays have at this position what they have where there is no element.
fn is_hole<F: Tree<N, M, Scalar: Bits>, const N: usize, const M: usize>(
    word: &Word,
    value: F::Scalar,
    coordinates: &[i64; M],
    domains: &[Domain; M],
) -> bool {
    let mut levels = word
        .fields
        .iter()
        .filter(|field| field.stored)
        .filter_map(|field| field.level);
    F::HOLES
        && value.to_bits() == F::Scalar::FILL.to_bits()
        && levels.all(|level| coordinates[level] == domains[level].lo)
}

/// Returns the word with these coordinates and the bits of this value.
fn coded(word: &Word, coordinates: &[i64], value: u128, position: usize) -> Result<u128, Error> {
    let mut bits = 0;
    for field in word.fields {
        bits |= match field.level {
            // A type of a user's own may give more bits than it has.
            None => field.of(value << field.at) << field.at,
            Some(level) => {
                let coordinate = coordinates[level];
                let coded = field
                    .coded(coordinate)
                    .ok_or_else(|| too_wide(field, coordinate, position))?;
                coded << field.at
            }
        };
    }
    Ok(bits)
}

fn too_wide(field: &WordField, coordinate: i64, position: usize) -> Error {
    let (least, most) = field.range();
    Error::new(
        ErrorKind::Overflow,
        format!("level `{}`", field.name),
        Some(position),
        coordinate.to_string(),
        format!("{least} to {most}, which fit the {} bits of the word", field.bits),
    )
}
