//! Constructors: random tensors, matrices of diagonals; inverses of permutations.

use std::collections::HashSet;

use super::room;
use crate::element::{FromFloat, Scalar};
use crate::error::{Error, ErrorKind};
use crate::triplets::Triplets;

/// Returns the place of each coordinate in `order`.
///
/// # Errors
/// If `order` is no permutation of the coordinates below `extent`.
pub(super) fn inverse(dim: usize, order: &[usize], extent: usize) -> Result<Vec<usize>, Error> {
    let subject = || format!("order of dim {dim}");
    if order.len() != extent {
        let (found, expected) = (order.len(), format!("{extent}, one for each coordinate"));
        return Err(Error::new(
            ErrorKind::Length,
            subject(),
            None,
            format!("{found} coordinates"),
            expected,
        ));
    }
    let mut places = room::filled("the order", usize::MAX, extent)?;
    for (place, &at) in order.iter().enumerate() {
        let fault = match places.get_mut(at) {
            None => Some((ErrorKind::OutOfBounds, format!("one below {extent}"))),
            Some(&mut other) if other != usize::MAX => Some((ErrorKind::Duplicate, "each once".to_owned())),
            Some(free) => {
                *free = place;
                None
            }
        };
        if let Some((kind, expected)) = fault {
            return Err(Error::new(
                kind,
                subject(),
                Some(place),
                format!("coordinate {at}"),
                expected,
            ));
        }
    }
    Ok(places)
}

/// Numbers of the generator SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`, which is not zero; the bias is less than `end / 2^128`.
    fn below(&mut self, end: u128) -> u128 {
        (u128::from(self.next()) << 64 | u128::from(self.next())) % end
    }
}

/// Returns `count` elements at random coordinates, in logical order, by Floyd's algorithm: `O(count * log(count))`.
pub(super) fn random<T: FromFloat, const N: usize>(
    shape: [usize; N],
    count: usize,
    seed: u64,
) -> Result<Triplets<T, N>, Error> {
    let all = shape
        .iter()
        .try_fold(1_u128, |all, &extent| all.checked_mul(extent as u128));
    let Some(all) = all.filter(|&all| count as u128 <= all) else {
        return Err(Error::new(
            ErrorKind::Overflow,
            "the random tensor",
            None,
            format!("{count} elements of the shape {shape:?}"),
            "at most one for each coordinate, and fewer than 2^128 coordinates",
        ));
    };
    let (mut random, mut chosen) = (Random(seed), HashSet::new());
    let mut result = room::triplets("the random tensor", shape, count)?;
    for last in all - count as u128..all {
        let number = random.below(last + 1);
        if !chosen.insert(number) {
            chosen.insert(last);
        }
    }
    let mut chosen: Vec<u128> = chosen.into_iter().collect();
    chosen.sort_unstable();
    for mut number in chosen {
        let mut at = [0; N];
        for dim in (0..N).rev() {
            at[dim] = (number % shape[dim] as u128) as usize;
            number /= shape[dim] as u128;
        }
        // 53 bits, and half a step more: a value is never zero.
        let value = ((random.next() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        result.add(at, T::from_float(value));
    }
    Ok(result)
}

/// Returns the given diagonals: `values[i]` of diagonal `offset` is the element of row `i`, or of column `i` if the offset is
/// negative.
pub(super) fn diagonals<T: Scalar>(shape: [usize; 2], diagonals: &[(isize, &[T])]) -> Result<Triplets<T, 2>, Error> {
    let mut result = Triplets::new(shape);
    for (number, &(offset, values)) in diagonals.iter().enumerate() {
        let [below, above] = [offset.min(0).unsigned_abs(), offset.max(0).unsigned_abs()];
        let length = shape[0].saturating_sub(below).min(shape[1].saturating_sub(above));
        if values.len() != length {
            return Err(Error::new(
                ErrorKind::Length,
                format!("diagonal {offset}"),
                Some(number),
                format!("{} values", values.len()),
                format!("{length}, one for each element of the diagonal"),
            ));
        }
        for (at, &value) in values.iter().enumerate() {
            result.add([at + below, at + above], value);
        }
    }
    Ok(result)
}
