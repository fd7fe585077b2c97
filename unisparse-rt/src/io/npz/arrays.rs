//! The arrays of each kind of matrix, from elements.

use std::io;

use super::kind::NpzKind;

/// An integer array.
pub(super) struct Integers {
    pub(super) name: &'static str,
    pub(super) shape: Vec<usize>,
    pub(super) entries: Vec<i64>,
}

/// The arrays of a matrix besides its values, and the number of each element among the values.
pub(super) struct Arrays {
    pub(super) integers: Vec<Integers>,
    /// The shape of the array of values.
    pub(super) data: Vec<usize>,
    /// The position of each element, in the order of the elements.
    pub(super) places: Vec<usize>,
}

impl Arrays {
    /// Makes the arrays of this kind for elements at these coordinates, each of which is there once, with at most `allowed`
    /// entries in an array.
    ///
    /// # Errors
    /// `InvalidInput` if a tensor of this shape is not of this kind, or an array would have more entries.
    pub(super) fn new<const N: usize>(
        kind: NpzKind,
        shape: [usize; N],
        at: &[[usize; N]],
        allowed: usize,
    ) -> io::Result<Self> {
        let pair = |at: &[usize; N]| [at[0], at[1]];
        match (kind, N) {
            (NpzKind::Coo, _) => Ok(Self::coordinates(at)),
            (NpzKind::Csr, 1) => Ok(Self::compressed(1, at.iter().map(|at| [0, at[0]]))),
            (NpzKind::Csr, 2) => {
                check_size(&[shape[0]], allowed)?;
                Ok(Self::compressed(shape[0], at.iter().map(pair)))
            }
            (NpzKind::Csc, 2) => {
                check_size(&[shape[1]], allowed)?;
                Ok(Self::compressed(shape[1], at.iter().map(|at| [at[1], at[0]])))
            }
            (NpzKind::Dia, 2) => Self::diagonals(shape[1], at.iter().map(pair), allowed),
            (NpzKind::Bsr([rows, cols]), 2) => {
                if rows == 0 || cols == 0 || shape[0] % rows > 0 || shape[1] % cols > 0 {
                    return Err(refused(format!(
                        "blocks of {rows} x {cols} do not divide {} x {}",
                        shape[0], shape[1]
                    )));
                }
                check_size(&[shape[0] / rows], allowed)?;
                Self::blocks(shape[0] / rows, [rows, cols], at.iter().map(pair), allowed)
            }
            _ => Err(refused(format!("there is no `{}` of {N} dims", kind.word()))),
        }
    }

    fn coordinates<const N: usize>(at: &[[usize; N]]) -> Self {
        let array = |name, shape, dims: core::ops::Range<usize>| Integers {
            name,
            shape,
            entries: dims.flat_map(|dim| at.iter().map(move |at| at[dim] as i64)).collect(),
        };
        let integers = if N == 2 {
            vec![array("row", vec![at.len()], 0..1), array("col", vec![at.len()], 1..2)]
        } else {
            vec![array("coords", vec![N, at.len()], 0..N)]
        };
        Arrays {
            integers,
            data: vec![at.len()],
            places: (0..at.len()).collect(),
        }
    }

    /// Compresses `rows` rows of elements at these rows and columns.
    fn compressed(rows: usize, at: impl Iterator<Item = [usize; 2]>) -> Self {
        let at: Vec<[usize; 2]> = at.collect();
        let order = ordered(&at);
        let mut places = vec![0; at.len()];
        order
            .iter()
            .enumerate()
            .for_each(|(place, &element)| places[element] = place);
        let data = vec![at.len()];
        Arrays {
            integers: segments(rows, order.iter().map(|&element| at[element])),
            data,
            places,
        }
    }

    fn blocks(
        rows: usize,
        [height, width]: [usize; 2],
        at: impl Iterator<Item = [usize; 2]>,
        allowed: usize,
    ) -> io::Result<Self> {
        let at: Vec<[usize; 2]> = at.collect();
        let blocks: Vec<[usize; 2]> = at.iter().map(|[row, col]| [row / height, col / width]).collect();
        let mut nonempty = blocks.clone();
        nonempty.sort_unstable();
        nonempty.dedup();
        let data = vec![nonempty.len(), height, width];
        check_size(&data, allowed)?;
        let place = |(block, [row, col]): (&[usize; 2], &[usize; 2])| {
            let number = nonempty.binary_search(block).unwrap_or_default();
            (number * height + row % height) * width + col % width
        };
        let places = blocks.iter().zip(&at).map(place).collect();
        Ok(Arrays {
            integers: segments(rows, nonempty.iter().copied()),
            data,
            places,
        })
    }

    fn diagonals(cols: usize, at: impl Iterator<Item = [usize; 2]>, allowed: usize) -> io::Result<Self> {
        let at: Vec<[usize; 2]> = at.collect();
        let diagonal = |&[row, col]: &[usize; 2]| col as i64 - row as i64;
        let mut offsets: Vec<i64> = at.iter().map(diagonal).collect();
        offsets.sort_unstable();
        offsets.dedup();
        let data = vec![offsets.len(), cols];
        check_size(&data, allowed)?;
        let place = |at: &[usize; 2]| offsets.binary_search(&diagonal(at)).unwrap_or_default() * cols + at[1];
        let places = at.iter().map(place).collect();
        let integers = vec![Integers {
            name: "offsets",
            shape: vec![offsets.len()],
            entries: offsets,
        }];
        Ok(Arrays { integers, data, places })
    }
}

/// Returns the numbers of coordinates in ascending order.
fn ordered(at: &[[usize; 2]]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..at.len()).collect();
    if !at.is_sorted() {
        order.sort_unstable_by_key(|&element| at[element]);
    }
    order
}

/// Returns where each row begins, and the columns, of coordinates in ascending order.
fn segments(rows: usize, at: impl ExactSizeIterator<Item = [usize; 2]>) -> Vec<Integers> {
    let (mut starts, mut indices) = (vec![0; rows + 1], Vec::with_capacity(at.len()));
    for [row, col] in at {
        starts[row + 1] += 1;
        indices.push(col as i64);
    }
    for row in 0..rows {
        starts[row + 1] += starts[row];
    }
    vec![
        Integers {
            name: "indices",
            shape: vec![indices.len()],
            entries: indices,
        },
        Integers {
            name: "indptr",
            shape: vec![rows + 1],
            entries: starts,
        },
    ]
}

/// Checks that an array of this shape has at most `allowed` entries.
pub(super) fn check_size(shape: &[usize], allowed: usize) -> io::Result<()> {
    let entries = shape
        .iter()
        .try_fold(1_usize, |count, &extent| count.checked_mul(extent));
    let fits = entries.is_some_and(|entries| entries < allowed);
    let shape = || shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ");
    fits.then_some(()).ok_or_else(|| {
        refused(format!(
            "an array of {} entries, of at most {allowed}; `coo` takes less",
            shape()
        ))
    })
}

pub(super) fn refused(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
