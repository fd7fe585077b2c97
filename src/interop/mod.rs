//! Matrices and arrays of other libraries: into any declared format, and back.
//!
//! Each library is a feature, off by default. `into_format` is a method of its types, the others are methods of tensors:
//!
//! | call | result |
//! |---|---|
//! | `m.into_format::<F>()` | any format from a matrix or an array of the library. An owned matrix gives its arrays away: they are moved where the format stores the same. A borrowed one is copied once |
//! | `a.to_foreign::<M>()` | a matrix of the library from a tensor in any format |
//! | `a.into_foreign::<M>()` | the same, consuming the tensor: arrays are moved where the library stores the same |
//! | `a.as_foreign::<M>()` | a view of the library into the arrays of the tensor, or an error if they do not fit |
//!
//! | feature | types |
//! |---|---|
//! | `faer` | `SparseRowMat`, `SparseColMat`, references to them and their `Ref`s, with `u32`, `u64` and `usize` indices; [`AsLinOp`] makes a linear operator of a matrix in any format |
//! | `sprs` | `CsMat`, references to it and its views, with `u32`, `u64` and `usize` indices |
//! | `nalgebra` | `CsrMatrix`, `CscMatrix` and `CooMatrix` of `nalgebra-sparse`, and references to them |
//! | `ndarray` | arrays and views of one to six dims |
//!
//! Which arrays fit follows from the index map and the levels of a format, not from its name. Sorted arrays are checked once and
//! taken as they are; unsorted ones are assembled, and repeated elements are added.

#[cfg(any(feature = "faer", feature = "sprs", feature = "nalgebra"))]
mod compressed;
#[cfg(feature = "faer")]
mod faer;
#[cfg(feature = "faer")]
mod lin_op;
#[cfg(feature = "nalgebra")]
mod nalgebra;
#[cfg(feature = "ndarray")]
mod ndarray;
#[cfg(feature = "sprs")]
mod sprs;

#[cfg(any(feature = "faer", feature = "sprs", feature = "nalgebra"))]
pub use compressed::CompressedIndex;
#[cfg(feature = "faer")]
pub use lin_op::AsLinOp;

use unisparse_rt::{Error, Source, SparseTensor};

/// A matrix or an array of another library that converts to every declared format of `N` dims.
pub trait IntoFormat<const N: usize>: Sized {
    /// The element type.
    type Scalar;

    /// Converts to a format. The arrays of an owned sparse matrix are moved, not copied, where the format stores the same.
    /// Otherwise as [`convert`](Source::convert).
    ///
    /// # Errors
    /// `Length`, `OutOfBounds` or `Order` if the arrays are not those of a sparse matrix, otherwise as for a conversion.
    fn into_format<F: SparseTensor<N, Scalar = Self::Scalar>>(self) -> Result<F, Error>;
}

/// A matrix or an array of another library that is made of any tensor of `N` dims.
pub trait FromFormat<T, const N: usize>: Sized {
    /// Makes a copy of a tensor.
    ///
    /// # Errors
    /// As for a conversion.
    fn of<A: SparseTensor<N, Scalar = T>>(tensor: &A) -> Result<Self, Error>;

    /// Makes it of the arrays of a tensor, which are moved where the library stores the same.
    ///
    /// # Errors
    /// As for a conversion.
    fn of_owned<A: SparseTensor<N, Scalar = T>>(tensor: A) -> Result<Self, Error> {
        Self::of(&tensor)
    }
}

/// A view of another library into the arrays of a tensor of `N` dims.
pub trait ViewOfFormat<'a, T, const N: usize>: Sized {
    /// Borrows the arrays. `O(n)`: the library checks them.
    ///
    /// # Errors
    /// `Structure` if the library stores other arrays, or integers of another type.
    fn of<A: SparseTensor<N, Scalar = T>>(tensor: &'a A) -> Result<Self, Error>;
}

/// The conversions from a tensor to the types of other libraries.
pub trait ToForeign<const N: usize>: SparseTensor<N> {
    /// Makes a matrix or an array of another library.
    ///
    /// # Errors
    /// As for a conversion.
    fn to_foreign<M: FromFormat<Self::Scalar, N>>(&self) -> Result<M, Error> {
        M::of(self)
    }

    /// Makes a matrix or an array of another library, and consumes the tensor: arrays are moved where the library stores the
    /// same.
    ///
    /// # Errors
    /// As for a conversion.
    fn into_foreign<M: FromFormat<Self::Scalar, N>>(self) -> Result<M, Error> {
        M::of_owned(self)
    }

    /// Borrows the arrays as a view of another library. `O(n)`: the library checks them.
    ///
    /// # Errors
    /// `Structure` if the library stores other arrays, or integers of another type.
    fn as_foreign<'a, M: ViewOfFormat<'a, Self::Scalar, N>>(&'a self) -> Result<M, Error>
    where
        Self: Source<N>,
    {
        M::of(self)
    }
}

impl<A: SparseTensor<N>, const N: usize> ToForeign<N> for A {}
