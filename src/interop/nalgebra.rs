//! The sparse matrices of `nalgebra-sparse`.

use nalgebra_sparse::{CooMatrix, CscMatrix, CsrMatrix};
use unisparse_rt::private::for_each_once;
use unisparse_rt::{Error, SparseTensor, Stored, TripletsView};

use super::compressed::{Along, Arrays};
use super::{FromFormat, IntoFormat};

macro_rules! compressed {
    ($($along:ident: $matrix:ident $data:ident $made:ident),*) => {$(
        impl<T: Stored> IntoFormat<2> for $matrix<T> {
            type Scalar = T;

            fn into_format<F: SparseTensor<2, Scalar = T>>(self) -> Result<F, Error> {
                let shape = [self.nrows(), self.ncols()];
                let (ptr, idx, values) = self.disassemble();
                Arrays { shape, ptr, idx, values }.into_format(Along::$along)
            }
        }

        impl<T: Stored> IntoFormat<2> for &$matrix<T> {
            type Scalar = T;

            fn into_format<F: SparseTensor<2, Scalar = T>>(self) -> Result<F, Error> {
                let (ptr, idx, values) = self.$data();
                let (ptr, idx, values) = (ptr.to_vec(), idx.to_vec(), values.to_vec());
                Arrays { shape: [self.nrows(), self.ncols()], ptr, idx, values }.into_format(Along::$along)
            }
        }

        impl<T: Stored> FromFormat<T, 2> for $matrix<T> {
            fn of<A: SparseTensor<2, Scalar = T>>(tensor: &A) -> Result<Self, Error> {
                Arrays::of(tensor, Along::$along).map(Self::from)
            }

            fn of_owned<A: SparseTensor<2, Scalar = T>>(tensor: A) -> Result<Self, Error> {
                Arrays::of_owned(tensor, Along::$along).map(Self::from)
            }
        }

        impl<T: Stored> From<Arrays<usize, T>> for $matrix<T> {
            fn from(arrays: Arrays<usize, T>) -> Self {
                let Arrays { shape: [rows, columns], ptr, idx, values } = arrays;
                match $matrix::$made(rows, columns, ptr, idx, values) {
                    Ok(matrix) => matrix,
                    Err(error) => unreachable!("the arrays of a format are in order, but {error}"),
                }
            }
        }
    )*};
}

compressed!(Rows: CsrMatrix csr_data try_from_csr_data, Columns: CscMatrix csc_data try_from_csc_data);

/// Repeated elements are added.
impl<T: Stored> IntoFormat<2> for &CooMatrix<T> {
    type Scalar = T;

    fn into_format<F: SparseTensor<2, Scalar = T>>(self) -> Result<F, Error> {
        let coordinates = [self.row_indices(), self.col_indices()];
        TripletsView::try_new([self.nrows(), self.ncols()], coordinates, self.values())?.convert()
    }
}

/// In the storage order of the tensor; repeated triplets are combined by their policy.
impl<T: Stored> FromFormat<T, 2> for CooMatrix<T> {
    fn of<A: SparseTensor<2, Scalar = T>>(tensor: &A) -> Result<Self, Error> {
        let ([rows, columns], count) = (tensor.shape(), tensor.nnz());
        let (mut row, mut column) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut values = Vec::with_capacity(count);
        for_each_once(A::NAME, tensor, |[i, j], value| {
            row.push(i);
            column.push(j);
            values.push(value);
        })?;
        match CooMatrix::try_from_triplets(rows, columns, row, column, values) {
            Ok(matrix) => Ok(matrix),
            Err(error) => unreachable!("the elements of a tensor are inside its shape, but {error}"),
        }
    }
}
