//! Numbers made of the coordinates of several levels: a channel, a lane, an address.

use crate::words::{WordField, WordParts};

/// A level as a digit of a number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Digit {
    pub(super) level: usize,
    /// The number of coordinates, if no shape changes it.
    pub(super) size: Option<usize>,
    /// Its field of the word.
    pub(super) field: Option<WordField>,
}

/// Digits, the most significant first. Only that one may have a size that depends on the shape.
#[derive(Debug, Clone, Default)]
pub(super) struct Digits(pub(super) Vec<Digit>);

impl Digits {
    /// Moves the digit without a fixed size to the front. Returns the level of a second one, if there is one.
    pub(super) fn arrange(&mut self) -> Option<usize> {
        self.0.sort_by_key(|digit| digit.size.is_some());
        self.0
            .get(1)
            .filter(|digit| digit.size.is_none())
            .map(|digit| digit.level)
    }

    /// Returns how many numbers there are, if no shape changes it.
    pub(super) fn fixed(&self) -> Option<usize> {
        self.0
            .iter()
            .try_fold(1usize, |count, digit| count.checked_mul(digit.size?))
    }

    /// Returns how many numbers there are in a matrix of this shape.
    pub(super) fn count<F: WordParts<2>>(&self, shape: [usize; 2]) -> Option<usize> {
        let size = |digit: &Digit| digit.size.or_else(|| F::size(shape, digit.level));
        self.0
            .iter()
            .try_fold(1usize, |count, digit| count.checked_mul(size(digit)?))
    }

    /// Returns the number that coordinates make, if each is a digit.
    pub(super) fn number(&self, coordinates: &[i64]) -> Option<usize> {
        self.combine(|digit| coordinates.get(digit.level).copied())
    }

    /// Returns the number in the fields of a word.
    pub(super) fn in_word(&self, word: u128) -> Option<usize> {
        self.combine(|digit| i64::try_from(digit.field?.of(word)).ok())
    }

    fn combine(&self, coordinate: impl Fn(&Digit) -> Option<i64>) -> Option<usize> {
        self.0.iter().try_fold(0usize, |number, digit| {
            let coordinate = usize::try_from(coordinate(digit)?).ok()?;
            match digit.size {
                Some(size) if coordinate >= size => None,
                Some(size) => number.checked_mul(size)?.checked_add(coordinate),
                None => number.checked_add(coordinate),
            }
        })
    }

    /// Writes the digits of a number into coordinates.
    pub(super) fn split(&self, mut number: usize, coordinates: &mut [i64]) {
        for digit in self.0.iter().rev() {
            let size = digit.size.unwrap_or(usize::MAX);
            coordinates[digit.level] = (number % size) as i64;
            number /= size;
        }
    }
}
