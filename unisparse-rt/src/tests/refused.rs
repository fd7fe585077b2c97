//! Arrays that are not those of any tensor.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::formats::*;
use super::naive::{held, naive, tensors};
use super::{Format, Tensor, assemble, entries};
use crate::array::{Indices, Pointers};
use crate::describe::Explain;
use crate::error::{Error, ErrorKind};
use crate::format::Tree;
use crate::source::Elements;
use crate::triplets::Triplets;
use crate::validate;

/// A tensor of these arrays, checked as generated constructors check them.
fn try_from_parts<S: Format<M> + Clone, const M: usize>(
    shape: [usize; 2],
    sizes: [usize; M],
    arrays: &[[Vec<i64>; 2]],
    like: &Tensor<S, M>,
    values: Vec<f64>,
) -> Result<Tensor<S, M>, Error> {
    let domains = Tensor::<S, M>::domains(shape, &sizes)?;
    let mut tensor = Tensor {
        shape,
        sizes,
        values,
        ..like.clone()
    };
    for (level, spec) in S::LEVELS.iter().enumerate() {
        let [ptr, idx] = &arrays[level];
        if tensor.ptr[level].is_some() {
            let starts = ptr.iter().map(|&start| start as u32).collect();
            tensor.ptr[level] = Some(Pointers::try_new(spec.pointer_name, starts)?);
        }
        if tensor.idx[level].is_some() {
            let indices = idx.iter().map(|&index| index as i32).collect();
            tensor.idx[level] = Some(Indices::try_new(spec.name, indices, domains[level])?);
        }
    }
    validate::check(&tensor)?;
    Ok(tensor)
}

/// Changes one number somewhere. What is accepted is what its elements assemble to, by maps.
fn mutated<S: Format<M> + Clone, const M: usize>(
    shape: [usize; 2],
    elements: &[([usize; 2], f64)],
    place: usize,
    change: i64,
) {
    let tensor: Tensor<S, M> = assemble(shape, elements);
    let (mut sizes, mut arrays, mut values) = (tensor.sizes, entries(&tensor), tensor.values.clone());
    let numbers = M + arrays.iter().flatten().map(Vec::len).sum::<usize>() + values.len();
    let place = place % numbers;
    if place < M {
        sizes[place] = sizes[place].saturating_add_signed(change as isize);
    } else if let Some(number) = arrays.iter_mut().flatten().flatten().nth(place - M) {
        *number += change;
    } else {
        let count = values.len();
        values[place + count - numbers] += change as f64;
    }
    let Ok(accepted) = try_from_parts(shape, sizes, &arrays, &tensor, values) else {
        return;
    };
    let read: BTreeMap<[usize; 2], f64> = Elements::new(&accepted).collect();
    assert_eq!(read.len(), Elements::new(&accepted).count());
    // Any of the zeros can be explicit.
    let mut visit = Elements::new(&accepted);
    let positions = std::iter::from_fn(|| visit.next_position());
    let zeros: BTreeSet<[usize; 2]> = positions
        .filter_map(|(_, _, at)| at)
        .filter(|at| !read.contains_key(at))
        .collect();
    let with = |chosen: u32| -> Vec<([usize; 2], f64)> {
        let zeros = zeros
            .iter()
            .take(8)
            .enumerate()
            .filter(|(number, _)| chosen >> number & 1 == 1);
        read.iter()
            .map(|(&at, &value)| (at, value))
            .chain(zeros.map(|(_, &at)| (at, 0.0)))
            .collect()
    };
    let choices = if S::HOLES { 1 << zeros.len().min(8) } else { 1 };
    let found = (0..choices).any(|chosen| held(&accepted) == naive::<S, M>(shape, &with(chosen)));
    assert!(
        found || zeros.len() > 8,
        "{} {elements:?}: {:?}",
        S::NAME,
        held(&accepted)
    );
}

macro_rules! mutations {
    ($($test:ident: $format:ty;)*) => {$(
        proptest! {
            #[test]
            fn $test((shape, elements) in tensors(false), place in 0..1000usize, change in -3..4i64) {
                mutated::<$format, _>(shape, &elements, place, change);
            }
        }
    )*};
}

mutations! {
    ell: Ell;
    sliced_ell: Sell;
    jagged_diagonals: Jds;
    serpens: Serpens;
    blocked_ell: Bell;
    ranked_coordinates: Ranked;
    ranks_with_holes: RankedFull;
    below_a_total: Total;
    signed_measures: Signed;
}

#[track_caller]
fn refused<T>(result: Result<T, Error>, kind: ErrorKind, subject: &str, position: impl Into<Option<usize>>) {
    let error = result.err().expect("refused");
    assert_eq!(
        (error.kind(), error.subject(), error.position()),
        (kind, subject, position.into()),
        "{error}"
    );
}

/// The tensor of this matrix, with one number of its arrays or values changed.
fn change<S: Format<M> + Clone, const M: usize>(
    change: impl FnOnce(&mut [usize; M], &mut [[Vec<i64>; 2]], &mut Vec<f64>),
) -> Result<Tensor<S, M>, Error> {
    // 1 . 2
    // . . .
    // . 3 .
    let tensor: Tensor<S, M> = assemble([3, 3], &[([0, 0], 1.0), ([0, 2], 2.0), ([2, 1], 3.0)]);
    let (mut sizes, mut arrays, mut values) = (tensor.sizes, entries(&tensor), tensor.values.clone());
    change(&mut sizes, &mut arrays, &mut values);
    try_from_parts([3, 3], sizes, &arrays, &tensor, values)
}

#[test]
fn ell_by_hand() {
    let ell = change::<Ell, 3>(|_, _, _| {}).unwrap();
    assert_eq!(ell.sizes, [2, 0, 0]);
    assert_eq!(entries(&ell)[2][1], [0, 0, 1, 2, 0, 0]);
    assert_eq!(ell.values, [1.0, 0.0, 3.0, 2.0, 0.0, 0.0]);
    let explained = Explain::new(&ell, "Ell", 3, crate::tensor::SparseTensor::bytes(&ell)).to_string();
    assert!(
        explained.contains(" 72 B") && explained.contains("size 2") && explained.contains("idx[6] i32"),
        "{explained}"
    );
    let structure = ErrorKind::Structure;
    // The columns of a row in the wrong order, one outside the shape, one twice.
    let result = change::<Ell, 3>(|_, arrays, _| (arrays[2][1][0], arrays[2][1][3]) = (2, 0));
    refused(result, structure, "`col_idx`", 0);
    refused(
        change::<Ell, 3>(|_, arrays, _| arrays[2][1][1] = 3),
        ErrorKind::OutOfBounds,
        "`col_idx`",
        1,
    );
    refused(
        change::<Ell, 3>(|_, arrays, _| arrays[2][1][3] = 0),
        ErrorKind::Duplicate,
        "`col_idx`",
        3,
    );
    // A value in the second slot of a row without a first, slots that nothing needs, and lengths.
    refused(
        change::<Ell, 3>(|_, _, values| values[4] = 9.0),
        structure,
        "`values`",
        1,
    );
    let result = change::<Ell, 3>(|sizes, arrays, values| {
        sizes[0] = 3;
        arrays[2][1].extend([0; 3]);
        values.extend([0.0; 3]);
    });
    refused(result, structure, "`slot_size`", None);
    refused(
        change::<Ell, 3>(|sizes, _, _| sizes[0] = 1),
        ErrorKind::Length,
        "`col_idx`",
        None,
    );
    refused(
        change::<Ell, 3>(|_, _, values| values.truncate(5)),
        ErrorKind::Length,
        "`values`",
        None,
    );
    // An explicit zero where a hole would look the same, or not.
    assert!(change::<Ell, 3>(|_, _, values| values[0] = 0.0).is_ok());
    assert!(change::<Ell, 3>(|_, arrays, _| arrays[2][1][1] = 2).is_ok());
    assert!(change::<Ell, 3>(|_, arrays, _| arrays[2][1][4] = 1).is_ok());
    refused(
        change::<Ell, 3>(|_, arrays, _| arrays[2][1][..5].copy_from_slice(&[0, 2, 1, 2, 1])),
        structure,
        "`col_idx`",
        1,
    );
}

#[test]
fn other_arrays_by_hand() {
    let structure = ErrorKind::Structure;
    // The rows of both ranks are stored once: other rows are another tensor, but one row has one rank.
    assert!(change::<Jds, 4>(|_, arrays, _| arrays[2][1][1] = 1).is_ok());
    refused(
        change::<Jds, 4>(|_, arrays, _| arrays[2][1][1] = 0),
        structure,
        "`slot_size`",
        None,
    );
    for rows in [1, 3] {
        refused(
            change::<Jds, 4>(|_, arrays, _| arrays[2][1].resize(rows, 1)),
            ErrorKind::Length,
            "`row_idx`",
            None,
        );
    }
    refused(
        change::<Jds, 4>(|_, arrays, _| arrays[1][0][1] = 1),
        structure,
        "`slot_ptr`",
        1,
    );
    refused(
        change::<Sell, 6>(|_, arrays, _| arrays[2][0][1] = 1),
        ErrorKind::Length,
        "`col_idx`",
        None,
    );
    assert!(change::<Sell, 6>(|_, arrays, _| arrays[4][1][..2].copy_from_slice(&[2, 0])).is_ok());
    let result = change::<Sell, 6>(|_, arrays, _| arrays[4][1][0] = 2);
    refused(result, structure, "`chunk_ptr`", 1);
    refused(
        change::<Sell, 6>(|sizes, _, _| sizes[1] = 2),
        ErrorKind::Length,
        "`chunk_ptr`",
        None,
    );
    refused(
        change::<Sell, 6>(|_, arrays, _| arrays[4][1].truncate(1)),
        ErrorKind::Length,
        "`row_idx`",
        None,
    );
    refused(
        change::<Total, 4>(|_, arrays, _| arrays[0][1][0] = 4),
        structure,
        "`total_idx`",
        0,
    );
    refused(
        change::<Total, 4>(|_, _, values| values.clear()),
        ErrorKind::Length,
        "`values`",
        None,
    );
    refused(
        change::<Signed, 3>(|_, arrays, _| arrays[1][1][1] = -1),
        structure,
        "`short_idx`",
        1,
    );
    let result = change::<RankedFull, 3>(|_, arrays, values| {
        for [_, idx] in arrays {
            idx.remove(0);
        }
        values.remove(0);
    });
    refused(result, structure, "`rank_idx`", 0);
}

#[test]
fn a_shape_claims_no_table_larger_than_the_tensor() {
    let jds: Tensor<Jds, 4> = assemble([3, 3], &[([0, 0], 1.0)]);
    let huge = Tensor {
        shape: [1 << 50, 3],
        ..jds
    };
    assert_eq!(validate::check(&huge).unwrap_err().kind(), ErrorKind::Limit);
}

#[test]
fn nan_is_what_it_is() {
    let triplets = Triplets::try_from_triplets([2, 2], [([1, 1], f64::NAN)]).unwrap();
    assert!(validate::check(&triplets.convert::<Tensor<Ell, 3>>().unwrap()).is_ok());
}
