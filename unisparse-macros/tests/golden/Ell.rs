#[automatically_derived]
#[allow(
    clippy::all,
    clippy::pedantic,
    unused_braces,
    unused_qualifications,
    unused_variables,
    non_snake_case
)]
impl<T: ::unisparse::Scalar> ::unisparse::kernels::spmv for Ell<T> {
    fn __run(
        &self,
        y: &mut [<T as ::unisparse::Scalar>::Sum],
        x: &[T],
        extents: [usize; 2],
    ) -> ::core::result::Result<(), ::unisparse::Error> {
        #[allow(unused_imports)]
        use ::unisparse::{
            Negate as _, Ordered as _, Scalar as _, Source as _, SparseTensor as _,
        };
        use ::unisparse::__private::{window, window_mut, within};
        let [i_extent, _] = extents;
        y.fill(<T::Sum as ::unisparse::Scalar>::ZERO);
        let slot_size = self.slot_size();
        let (col_idx, values) = self.__arrays();
        ::unisparse::__private::shared(
            &::unisparse::__private::Loop {
                work: (self.stored()),
                count: slot_size,
                borders: &|pieces| self.borders(pieces),
            },
            y,
            <T::Sum as ::unisparse::Scalar>::ZERO,
            |left: T::Sum, right: T::Sum| left.plus(right),
            |::core::ops::Range { start: from, end: to }, y| {
                for slot in from..to {
                    let row_range = 0..i_extent;
                    let y_window = window_mut(y, row_range.clone(), 0);
                    let values_window = window(
                        values,
                        row_range.clone(),
                        (slot * i_extent) as isize,
                    );
                    for ((y_item, &value), x_item) in y_window
                        .into_iter()
                        .zip(values_window)
                        .zip(
                            within(
                                col_idx.gather(x),
                                row_range.clone(),
                                (slot * i_extent) as isize,
                            ),
                        )
                    {
                        *y_item = (*y_item).plus(value.wide().times(x_item.wide()));
                    }
                }
            },
        );
        ::core::result::Result::Ok(())
    }
}
