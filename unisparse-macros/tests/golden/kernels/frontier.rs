#[doc(hidden)]
#[automatically_derived]
#[diagnostic::do_not_recommend]
#[allow(
    clippy::all,
    clippy::pedantic,
    unused_braces,
    unused_qualifications,
    unused_variables,
    non_snake_case
)]
impl<T: ::unisparse::Scalar, StoredA: ::unisparse::Stored<Value = T>> frontier
for Csr<StoredA>
where
    T: ::core::ops::BitOr<Output = T> + ::core::ops::BitAnd<Output = T>,
    <T as ::unisparse::Scalar>::Sum: ::core::ops::BitOr<
            Output = <T as ::unisparse::Scalar>::Sum,
        > + ::core::ops::BitAnd<Output = <T as ::unisparse::Scalar>::Sum>,
{
    fn __run(
        &self,
        next: &mut [<T as ::unisparse::Scalar>::Sum],
        front: &[T],
        seen: &[impl ::unisparse::Scalar],
        extents: [usize; 2],
    ) -> ::core::result::Result<(), ::unisparse::Error> {
        #[allow(unused_imports)]
        use ::unisparse::{
            Negate as _, Ordered as _, Scalar as _, Source as _, SparseTensor as _,
            Stored as _,
        };
        let [j_extent, i_extent] = extents;
        let next = &mut next[..j_extent];
        let (row_ptr, col_idx, values) = self.__arrays();
        ::unisparse::__private::shared(
            ::unisparse::__private::Loop {
                work: (self.stored()),
                count: i_extent,
                borders: |pieces| self.borders(pieces),
            },
            next,
            false,
            <T::Sum as ::unisparse::Scalar>::ZERO,
            <T::Sum as ::core::ops::BitOr>::bitor,
            |::core::ops::Range { start: from, end: to }, next| {
                let col_entries = row_ptr
                    .over((col_idx.coordinates(), values))
                    .below(to);
                for row in from..to {
                    let front_item = front[row].wide();
                    for (col, value) in col_entries.segment(row) {
                        if seen[col].reads_zero() {
                            next[col] = next[col] | (front_item & value.wide());
                        }
                    }
                }
            },
        );
        ::core::result::Result::Ok(())
    }
}
