//! Computes what a design computes, in the order of its additions.

use super::layout::Layout;
use super::packed::Packed;
use crate::element::{Bits, Scalar};
use crate::error::{Error, ErrorKind};

/// The places of a dense operand on their way to the chip.
pub(super) struct Dense<T> {
    /// `x`, window after window, each filled up to whole blocks.
    pub(super) x: Vec<T>,
    /// The first element of each window, and the end.
    pub(super) starts: Vec<usize>,
    /// `y` in the order of the sums.
    pub(super) y: Vec<T>,
}

impl<T: Scalar> Dense<T> {
    /// Orders operands of a product.
    ///
    /// # Errors
    /// `Shape` for one of another length.
    pub(super) fn new(packed: &Packed, block: usize, x: &[T], y: &[T]) -> Result<Self, Error> {
        let [rows, columns] = packed.shape;
        for (name, found, expected) in [("x", x.len(), columns), ("y", y.len(), rows)] {
            if found != expected {
                let (found, expected) = (format!("{found} elements"), expected.to_string());
                return Err(Error::new(ErrorKind::Shape, format!("`{name}`"), None, found, expected));
            }
        }
        let mut dense = Dense {
            x: Vec::new(),
            starts: vec![0],
            y: packed
                .rows
                .iter()
                .map(|row| row.map_or(T::ZERO, |row| y[row]))
                .collect(),
        };
        for columns in &packed.columns {
            dense
                .x
                .extend(columns.iter().map(|column| column.map_or(T::ZERO, |column| x[column])));
            dense.x.resize(dense.x.len().next_multiple_of(block), T::ZERO);
            dense.starts.push(dense.x.len());
        }
        Ok(dense)
    }

    /// Returns the elements of `y`, which are in the order of the sums, in the order of rows.
    pub(super) fn in_rows(packed: &Packed, sums: &[T]) -> Vec<T> {
        let mut y = vec![T::ZERO; packed.shape[0]];
        for (row, &sum) in packed.rows.iter().zip(sums) {
            if let Some(row) = *row {
                y[row] = sum;
            }
        }
        y
    }
}

/// Returns `alpha A x + beta y` in the order of the sums: products are added in the order of slots, and rounded before. The packing
/// is one of this layout, with as many words as its windows have.
///
/// # Errors
/// `Structure` for a word that leads outside of the chip.
pub(super) fn simulate<T: Scalar + Bits>(
    packed: &Packed,
    layout: &Layout,
    dense: &Dense<T>,
    [alpha, beta]: [T; 2],
) -> Result<Vec<T>, Error> {
    let lanes = layout.count_lanes();
    let mut sums = vec![T::ZERO; packed.rows.len()];
    for channel in 0..layout.count_channels() {
        let mut words = packed.words(channel).enumerate();
        for (window, slots) in packed.windows().enumerate() {
            let x = &dense.x[dense.starts[window]..dense.starts[window + 1]];
            for (position, word) in words.by_ref().take(slots[channel] * lanes) {
                if layout.word.filler == Some(word) {
                    continue;
                }
                let sum = || {
                    let (address, place) = (layout.addresses.in_word(word)?, layout.places.in_word(word)?);
                    layout.sum(channel, position % lanes, address, place)
                };
                let sum = sum().and_then(|sum| sums.get_mut(sum));
                let factor = layout.columns.in_word(word).and_then(|column| x.get(column));
                let bits = layout.value.of(word) & (u128::MAX >> (u128::BITS - T::BITS));
                let (Some(sum), Some(&factor), Some(value)) = (sum, factor, T::from_bits(bits)) else {
                    return Err(Error::new(
                        ErrorKind::Structure,
                        format!("the words of channel {channel}"),
                        Some(position),
                        format!("{word:#x}"),
                        "a row and a column on the chip",
                    ));
                };
                *sum = sum.plus(value.times(factor));
            }
        }
    }
    let result = sums.iter().zip(&dense.y);
    Ok(result.map(|(sum, y)| sum.times(alpha).plus(y.times(beta))).collect())
}
