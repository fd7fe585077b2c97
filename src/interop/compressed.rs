//! Compressed rows and columns, as declared formats, with the index types that other libraries have.

use crate::formats::{Csc, Csr};
use unisparse_rt::{Error, ErrorKind, Index, SparseTensor, Stored, Triplets};

crate::sparse_format! {
    /// Compressed rows, `u64` indices.
    pub format RowsU64 = |i, j| (row: i, col: j) { merge(row); trim(col); index(col: u64); pointer(u64); }
    /// Compressed columns, `u64` indices.
    pub format ColumnsU64 = |i, j| (col: j, row: i) { merge(col); trim(row); index(row: u64); pointer(u64); }
    /// Compressed rows, `usize` indices.
    pub format RowsUsize = |i, j| (row: i, col: j) { merge(row); trim(col); index(col: usize); pointer(usize); }
    /// Compressed columns, `usize` indices.
    pub format ColumnsUsize = |i, j| (col: j, row: i) { merge(col); trim(row); index(row: usize); pointer(usize); }
}

/// The arrays of a compressed matrix.
#[doc(hidden)]
pub struct Arrays<I, T> {
    /// The numbers of rows and columns.
    pub(super) shape: [usize; 2],
    /// Where the entries of each row begin, or of each column; then the end.
    pub(super) ptr: Vec<I>,
    /// The column of each entry, or the row.
    pub(super) idx: Vec<I>,
    /// The values.
    pub(super) values: Vec<T>,
}

/// A format of these arrays.
#[doc(hidden)]
pub trait Compressed<I, T>: SparseTensor<2, Scalar = T> {
    /// Checks the arrays and takes them.
    fn of_arrays(arrays: Arrays<I, T>) -> Result<Self, Error>;
    /// Returns the arrays.
    fn into_arrays(self) -> Arrays<I, T>;
}

/// An integer type for the indices of compressed matrices: `u32`, `u64` or `usize`.
pub trait CompressedIndex: Index {
    /// The format of compressed rows.
    #[doc(hidden)]
    type Rows<T: Stored>: Compressed<Self, T>;
    /// The format of compressed columns.
    #[doc(hidden)]
    type Columns<T: Stored>: Compressed<Self, T>;
}

macro_rules! compressed {
    ($($index:ident: $rows:ident $columns:ident),*) => {$(
        impl CompressedIndex for $index {
            type Rows<T: Stored> = $rows<T>;
            type Columns<T: Stored> = $columns<T>;
        }
        compressed!(@$index $rows);
        compressed!(@$index $columns);
    )*};
    (@$index:ident $format:ident) => {
        impl<T: Stored> Compressed<$index, T> for $format<T> {
            fn of_arrays(arrays: Arrays<$index, T>) -> Result<Self, Error> {
                Self::try_from_parts(arrays.shape, arrays.ptr, arrays.idx, arrays.values)
            }
            fn into_arrays(self) -> Arrays<$index, T> {
                let (shape, ptr, idx, values) = self.into_parts();
                Arrays { shape, ptr, idx, values }
            }
        }
    };
}

compressed!(u32: Csr Csc, u64: RowsU64 ColumnsU64, usize: RowsUsize ColumnsUsize);

/// The dim whose coordinates the `ptr` array counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Along {
    /// Rows are compressed.
    Rows,
    /// Columns are compressed.
    Columns,
}

impl<I: CompressedIndex, T: Stored> Arrays<I, T> {
    /// Converts to a format. Arrays that ascend are moved where the format stores the same, others are assembled.
    pub(super) fn into_format<F: SparseTensor<2, Scalar = T>>(self, along: Along) -> Result<F, Error> {
        if !self.ascends() {
            return self.elements(along)?.convert();
        }
        match along {
            Along::Rows => I::Rows::of_arrays(self)?.convert_into(),
            Along::Columns => I::Columns::of_arrays(self)?.convert_into(),
        }
    }

    /// Makes the arrays of a tensor.
    pub(super) fn of<A: SparseTensor<2, Scalar = T>>(tensor: &A, along: Along) -> Result<Self, Error> {
        Ok(match along {
            Along::Rows => tensor.convert::<I::Rows<T>>()?.into_arrays(),
            Along::Columns => tensor.convert::<I::Columns<T>>()?.into_arrays(),
        })
    }

    /// Makes them of the arrays of a tensor, as far as they fit.
    pub(super) fn of_owned<A: SparseTensor<2, Scalar = T>>(tensor: A, along: Along) -> Result<Self, Error> {
        Ok(match along {
            Along::Rows => tensor.convert_into::<I::Rows<T>>()?.into_arrays(),
            Along::Columns => tensor.convert_into::<I::Columns<T>>()?.into_arrays(),
        })
    }

    /// Returns whether the indices of each segment ascend strictly. Pointers that make no sense are left to the check of the
    /// format.
    fn ascends(&self) -> bool {
        let segment = |ends: &[I]| self.idx.get(ends[0].to_usize()..ends[1].to_usize());
        let mut segments = self.ptr.windows(2).map(segment);
        segments.all(|segment| segment.is_none_or(|idx| idx.windows(2).all(|pair| pair[0] < pair[1])))
    }

    /// Returns the elements of segments that do not ascend, each checked to be inside the shape.
    fn elements(&self, along: Along) -> Result<Triplets<T, 2>, Error> {
        let outer = self.shape[usize::from(along == Along::Columns)];
        let ends = self.ptr.last().map_or(0, |end| end.to_usize());
        if self.ptr.len() != outer.saturating_add(1) || ends != self.idx.len() || ends != self.values.len() {
            let found = format!(
                "{} pointers that end at {ends}, {} indices and {} values",
                self.ptr.len(),
                self.idx.len(),
                self.values.len()
            );
            let expected = format!(
                "{} pointers, and as many indices and values as they end at",
                outer.saturating_add(1)
            );
            return Err(Error::new(
                ErrorKind::Length,
                "the compressed matrix",
                None,
                found,
                expected,
            ));
        }
        let mut elements = Triplets::with_capacity(self.shape, self.values.len());
        for (number, ends) in self.ptr.windows(2).enumerate() {
            for entry in ends[0].to_usize()..ends[1].to_usize().min(self.idx.len()) {
                let inner = self.idx[entry].to_usize();
                let at = match along {
                    Along::Rows => [number, inner],
                    Along::Columns => [inner, number],
                };
                elements.push(at, self.values[entry])?;
            }
        }
        Ok(elements)
    }
}

/// The error of a tensor whose arrays a view of another library cannot borrow.
#[cfg(any(feature = "faer", feature = "sprs"))]
#[cold]
pub(super) fn unfit<A: SparseTensor<2>, I: Index>(along: Along) -> Error {
    let of = match along {
        Along::Rows => "rows",
        Along::Columns => "columns",
    };
    Error::new(
        ErrorKind::Structure,
        format!("format `{}`", A::NAME),
        None,
        "arrays of another layout",
        format!("compressed {of} with `{}` indices (`to_foreign` converts)", I::NAME),
    )
}
