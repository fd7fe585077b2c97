//! A small matrix that is like a large one: blocks of its rows, one above the other.

use crate::element::Scalar;
use crate::error::Error;
use crate::source::Source;
use crate::triplets::Triplets;

/// Rows of a block, if they do not hold too many elements: multiples of common block sizes, so that few blocks of a format are cut.
const ROWS: [usize; 4] = [192, 96, 48, 24];

/// A sample of this many times as many elements as are wanted takes too long.
const LARGER: usize = 4;

/// Some rows of a matrix.
pub(super) struct Sample<T: Scalar> {
    pub(super) elements: Triplets<T, 2>,
    /// How many times as many elements the matrix has.
    pub(super) factor: f64,
}

impl<T: Scalar> Sample<T> {
    /// Takes all rows of a matrix, or blocks of rows that hold about `wanted` elements. One visit of the matrix.
    ///
    /// A block is moved along the diagonal to its new place, so that what lies on one diagonal still does.
    ///
    /// Returns `None` if it would have more than `LARGER` times as many elements: that of a matrix with few, long rows.
    ///
    /// # Errors
    /// Of the source only: a coordinate outside its shape.
    pub(super) fn of<S: Source<2, Scalar = T>>(source: &S, count: usize, wanted: usize) -> Result<Option<Self>, Error> {
        let [rows, cols] = source.shape();
        let most = wanted.saturating_mul(LARGER);
        let fit = |size: &usize| (*size as u128 * count as u128) <= wanted as u128 * rows as u128;
        let size = ROWS.into_iter().find(fit).unwrap_or(ROWS[3]);
        let blocks = rows.div_ceil(size);
        let taken = (blocks as f64 * wanted as f64 / count.max(1) as f64).ceil() as usize;
        if count <= wanted || taken >= blocks {
            if count > most {
                return Ok(None);
            }
            let mut elements = Triplets::with_capacity([rows, cols], count);
            let mut pushed = Ok(());
            source.for_each(|at, value| {
                if pushed.is_ok() {
                    pushed = elements.push(at, value);
                }
            });
            return pushed.map(|()| Some(Sample { elements, factor: 1.0 }));
        }
        // Block `k` of the sample is block `k * blocks / taken` of the matrix: evenly spaced.
        let mut place = vec![None; blocks];
        (0..taken).for_each(|at| place[(at as u128 * blocks as u128 / taken as u128) as usize] = Some(at));
        let lead = blocks * size;
        let shape = [taken * size, cols.saturating_add(lead).saturating_add(taken * size)];
        let mut elements = Triplets::with_capacity(shape, wanted);
        let mut pushed = Ok(());
        let mut all = 0usize;
        // The first row of the block that the last row is in, and the place of that block, so that few rows need a division.
        let (mut first, mut held) = (0, place.first().copied().flatten());
        source.for_each(|[i, j], value| {
            all += 1;
            if i.wrapping_sub(first) >= size {
                first = i / size * size;
                held = place.get(i / size).copied().flatten();
            }
            if let Some(at) = held {
                let to = [at * size + i - first, (lead + at * size + j) - first];
                if pushed.is_ok() && elements.len() <= most {
                    pushed = elements.push(to, value);
                }
            }
        });
        if elements.len() > most {
            return pushed.map(|()| None);
        }
        let factor = all as f64 / elements.len().max(1) as f64;
        pushed.map(|()| Some(Sample { elements, factor }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A band that is wider below the diagonal.
    fn band(rows: usize) -> Triplets<f64, 2> {
        let steps = [-100i64, -1, 0, 1, 7];
        let places = (0..rows as i64).flat_map(|i| steps.map(|step| [i, i + step]));
        let inside = places.filter(|at| (0..rows as i64).contains(&at[1]));
        let triplets = inside.map(|at| (at.map(|at| at as usize), at[0] as f64));
        Triplets::try_from_triplets([rows, rows], triplets).unwrap()
    }

    #[test]
    fn diagonals_and_rows_of_blocks_stay() {
        let matrix = band(100_000);
        let sample = Sample::of(&matrix, matrix.len(), 5000).unwrap().unwrap();
        assert!((4000..8000).contains(&sample.elements.len()));
        assert!((sample.factor * sample.elements.len() as f64 - matrix.len() as f64).abs() < 1e-6);
        let lead = 100_000usize.next_multiple_of(ROWS[0]) as i64;
        let diagonals: Vec<i64> = sample
            .elements
            .iter()
            .map(|([i, j], _)| j as i64 - i as i64 - lead)
            .collect();
        assert!(diagonals.iter().all(|diagonal| [-100, -1, 0, 1, 7].contains(diagonal)));
        // The values are the rows: those of a block stay in order, at places that are equal modulo the size of a block.
        assert!(
            sample
                .elements
                .iter()
                .all(|([i, _], row)| i % ROWS[0] == row as usize % ROWS[0])
        );
    }

    #[test]
    fn a_small_matrix_is_its_own_sample() {
        let matrix = band(50);
        let sample = Sample::of(&matrix, matrix.len(), 5000).unwrap().unwrap();
        assert_eq!((sample.elements, sample.factor), (matrix, 1.0));
        let empty: Triplets<f64, 2> = Triplets::new([0, 7]);
        assert!(Sample::of(&empty, 0, 5000).unwrap().unwrap().elements.is_empty());
    }

    #[test]
    fn few_long_rows_have_no_sample() {
        let rows = (0..2).flat_map(|i| (0..1000).map(move |j| ([i, j], 1.0)));
        let matrix = Triplets::try_from_triplets([2, 1000], rows).unwrap();
        assert!(Sample::of(&matrix, 2000, 100).unwrap().is_none());
        assert!(Sample::of(&matrix, 2000, 500).unwrap().is_some());
        // One row has nearly all elements.
        let long = (0..5000).map(|at| if at < 1000 { [at, 0] } else { [0, at] });
        let matrix = Triplets::try_from_triplets([1000, 5000], long.map(|at| (at, 1.0))).unwrap();
        assert!(Sample::of(&matrix, 5000, 100).unwrap().is_none());
    }
}
