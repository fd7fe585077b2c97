//! The matrices of `sprs`.

use core::ops::Deref;

use sprs::{CsMatBase, CsMatI, CsMatViewI, SpIndex};
use unisparse_rt::private::compressed;
use unisparse_rt::{Error, ErrorKind, Index, SparseTensor, Stored};

use super::compressed::{Along, Arrays, CompressedIndex, unfit};
use super::{FromFormat, IntoFormat, ViewOfFormat};

fn along(is_csr: bool) -> Along {
    if is_csr { Along::Rows } else { Along::Columns }
}

impl<I: SpIndex + CompressedIndex, T: Stored> IntoFormat<2> for CsMatI<T, I> {
    type Scalar = T;

    fn into_format<F: SparseTensor<2, Scalar = T>>(self) -> Result<F, Error> {
        let (along, shape) = (along(self.is_csr()), [self.rows(), self.cols()]);
        let (mut ptr, idx, values) = self.into_raw_storage();
        // A copy of a slice of rows keeps the pointers of the whole.
        let first = ptr.first().map_or(0, |first| Index::to_usize(*first));
        if first > 0 {
            ptr.iter_mut()
                .for_each(|start| *start = I::truncated(Index::to_usize(*start) - first));
        }
        Arrays {
            shape,
            ptr,
            idx,
            values,
        }
        .into_format(along)
    }
}

impl<I: SpIndex + CompressedIndex, T: Stored> IntoFormat<2> for CsMatViewI<'_, T, I> {
    type Scalar = T;

    fn into_format<F: SparseTensor<2, Scalar = T>>(self) -> Result<F, Error> {
        Arrays {
            shape: [self.rows(), self.cols()],
            // Those of a slice of rows start at zero only here.
            ptr: self.proper_indptr().into_owned(),
            idx: self.indices().to_vec(),
            values: self.data().to_vec(),
        }
        .into_format(along(self.is_csr()))
    }
}

impl<I: SpIndex + CompressedIndex, T: Stored> IntoFormat<2> for &CsMatI<T, I> {
    type Scalar = T;

    fn into_format<F: SparseTensor<2, Scalar = T>>(self) -> Result<F, Error> {
        self.view().into_format()
    }
}

/// Makes a matrix of checked arrays.
///
/// # Errors
/// `Overflow` if the index type does not hold an extent.
fn matrix<I, T, Ptr, Idx, Values>(
    along: Along,
    shape: [usize; 2],
    ptr: Ptr,
    idx: Idx,
    values: Values,
) -> Result<CsMatBase<T, I, Ptr, Idx, Values>, Error>
where
    I: SpIndex,
    Ptr: Deref<Target = [I]>,
    Idx: Deref<Target = [I]>,
    Values: Deref<Target = [T]>,
{
    let shape = (shape[0], shape[1]);
    let made = match along {
        Along::Rows => CsMatBase::try_new(shape, ptr, idx, values),
        Along::Columns => CsMatBase::try_new_csc(shape, ptr, idx, values),
    };
    made.map_err(|(.., error)| {
        let expected = format!("extents that `{}` holds", core::any::type_name::<I>());
        Error::new(
            ErrorKind::Overflow,
            "the matrix of `sprs`",
            None,
            error.to_string(),
            expected,
        )
    })
}

/// Compressed by column if the tensor is stored so, else by row.
impl<I: SpIndex + CompressedIndex, T: Stored> FromFormat<T, 2> for CsMatI<T, I> {
    fn of<A: SparseTensor<2, Scalar = T>>(tensor: &A) -> Result<Self, Error> {
        let along = nearest(tensor);
        let arrays = Arrays::of(tensor, along)?;
        matrix(along, arrays.shape, arrays.ptr, arrays.idx, arrays.values)
    }

    fn of_owned<A: SparseTensor<2, Scalar = T>>(tensor: A) -> Result<Self, Error> {
        let along = nearest(&tensor);
        let arrays = Arrays::of_owned(tensor, along)?;
        matrix(along, arrays.shape, arrays.ptr, arrays.idx, arrays.values)
    }
}

/// Returns how a matrix is made with the least work: by column if the outermost level holds columns, else by row.
fn nearest<A: SparseTensor<2>>(_: &A) -> Along {
    use unisparse_rt::private::Atom;
    let outermost = A::ENCODINGS.first().and_then(|encoding| encoding.levels.first());
    match outermost.map(|level| level.form.terms) {
        Some([(Atom::Dim(1), _)]) => Along::Columns,
        _ => Along::Rows,
    }
}

/// By row or by column, as the tensor is stored.
impl<'a, I: SpIndex + CompressedIndex, T: Stored> ViewOfFormat<'a, T, 2> for CsMatViewI<'a, T, I> {
    fn of<A: SparseTensor<2, Scalar = T>>(tensor: &'a A) -> Result<Self, Error> {
        let along = nearest(tensor);
        let arrays = match along {
            Along::Rows => compressed::<A, I::Rows<T>, I>(tensor),
            Along::Columns => compressed::<A, I::Columns<T>, I>(tensor),
        };
        let (ptr, idx, values) = arrays.ok_or_else(|| unfit::<A, I>(along))?;
        matrix(along, tensor.shape(), ptr, idx, values)
    }
}
