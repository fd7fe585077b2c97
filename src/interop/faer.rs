//! The sparse matrices of `faer`.

use faer::Index as FaerIndex;
use faer::sparse::{
    SparseColMat, SparseColMatRef, SparseRowMat, SparseRowMatRef, SymbolicSparseColMat, SymbolicSparseColMatRef,
    SymbolicSparseRowMat, SymbolicSparseRowMatRef,
};
use unisparse_rt::private::compressed;
use unisparse_rt::{Error, ErrorKind, SparseTensor, Stored};

use super::compressed::{Along, Arrays, CompressedIndex, unfit};
use super::{FromFormat, IntoFormat, ViewOfFormat};

/// Returns an error for a matrix whose extents `faer` does not take: it panics where they exceed half of the index type.
fn check_extents<I: CompressedIndex>(shape: [usize; 2]) -> Result<(), Error> {
    let most = I::truncated(usize::MAX).to_usize() / 2;
    match shape.into_iter().position(|extent| extent > most) {
        None => Ok(()),
        Some(dim) => Err(Error::new(
            ErrorKind::Overflow,
            format!("dim {dim}"),
            None,
            format!("extent {}", shape[dim]),
            format!("at most {most}, as a matrix of `faer` with `{}` indices", I::NAME),
        )),
    }
}

/// Closes the gaps before, between and after segments, of which `counts` has the lengths, if a matrix has any.
fn packed<I: CompressedIndex, T: Stored>(arrays: Arrays<I, T>, counts: Option<&[I]>) -> Arrays<I, T> {
    let ends = [arrays.ptr.first(), arrays.ptr.last()].map(|end| end.map_or(0, |end| end.to_usize()));
    let counts: Vec<I> = match counts {
        Some(counts) => counts.to_vec(),
        None if ends == [0, arrays.idx.len()] => return arrays,
        None => arrays
            .ptr
            .windows(2)
            .map(|ends| I::truncated(ends[1].to_usize() - ends[0].to_usize()))
            .collect(),
    };
    let mut packed = Arrays {
        shape: arrays.shape,
        ptr: Vec::with_capacity(arrays.ptr.len()),
        idx: Vec::new(),
        values: Vec::new(),
    };
    for (start, count) in arrays.ptr.iter().zip(&counts) {
        let entries = start.to_usize()..start.to_usize() + count.to_usize();
        // No pointer grows, so each still fits.
        packed.ptr.push(I::truncated(packed.idx.len()));
        packed.idx.extend_from_slice(&arrays.idx[entries.clone()]);
        packed.values.extend_from_slice(&arrays.values[entries]);
    }
    packed.ptr.push(I::truncated(packed.idx.len()));
    packed
}

macro_rules! matrices {
    ($($along:ident: $owned:ident $view:ident $symbolic:ident $symbolic_view:ident $format:ident),*) => {$(
        impl<I: FaerIndex + CompressedIndex, T: Stored> IntoFormat<2> for $owned<I, T> {
            type Scalar = T;

            fn into_format<F: SparseTensor<2, Scalar = T>>(self) -> Result<F, Error> {
                let (symbolic, values) = self.into_parts();
                let (rows, columns, ptr, counts, idx) = symbolic.into_parts();
                let arrays = Arrays { shape: [rows, columns], ptr, idx, values };
                packed(arrays, counts.as_deref()).into_format(Along::$along)
            }
        }

        impl<I: FaerIndex + CompressedIndex, T: Stored> IntoFormat<2> for $view<'_, I, T> {
            type Scalar = T;

            fn into_format<F: SparseTensor<2, Scalar = T>>(self) -> Result<F, Error> {
                let (symbolic, values) = self.parts();
                let (rows, columns, ptr, counts, idx) = symbolic.parts();
                let arrays = Arrays {
                    shape: [rows, columns],
                    ptr: ptr.to_vec(),
                    idx: idx.to_vec(),
                    values: values.to_vec(),
                };
                packed(arrays, counts).into_format(Along::$along)
            }
        }

        impl<I: FaerIndex + CompressedIndex, T: Stored> IntoFormat<2> for &$owned<I, T> {
            type Scalar = T;

            fn into_format<F: SparseTensor<2, Scalar = T>>(self) -> Result<F, Error> {
                self.as_ref().into_format()
            }
        }

        impl<I: FaerIndex + CompressedIndex, T: Stored> FromFormat<T, 2> for $owned<I, T> {
            fn of<A: SparseTensor<2, Scalar = T>>(tensor: &A) -> Result<Self, Error> {
                check_extents::<I>(tensor.shape())?;
                Arrays::of(tensor, Along::$along).map(Self::from)
            }

            fn of_owned<A: SparseTensor<2, Scalar = T>>(tensor: A) -> Result<Self, Error> {
                check_extents::<I>(tensor.shape())?;
                Arrays::of_owned(tensor, Along::$along).map(Self::from)
            }
        }

        impl<I: FaerIndex, T> From<Arrays<I, T>> for $owned<I, T> {
            fn from(arrays: Arrays<I, T>) -> Self {
                let Arrays { shape: [rows, columns], ptr, idx, values } = arrays;
                $owned::new($symbolic::new_checked(rows, columns, ptr, None, idx), values)
            }
        }

        impl<'a, I: FaerIndex + CompressedIndex, T: Stored> ViewOfFormat<'a, T, 2> for $view<'a, I, T> {
            fn of<A: SparseTensor<2, Scalar = T>>(tensor: &'a A) -> Result<Self, Error> {
                let [rows, columns] = tensor.shape();
                check_extents::<I>([rows, columns])?;
                let (ptr, idx, values) =
                    compressed::<A, I::$format<T>, I>(tensor).ok_or_else(|| unfit::<A, I>(Along::$along))?;
                Ok($view::new($symbolic_view::new_checked(rows, columns, ptr, None, idx), values))
            }
        }
    )*};
}

matrices!(
    Rows: SparseRowMat SparseRowMatRef SymbolicSparseRowMat SymbolicSparseRowMatRef Rows,
    Columns: SparseColMat SparseColMatRef SymbolicSparseColMat SymbolicSparseColMatRef Columns
);
