#[automatically_derived]
#[allow(
    clippy::all,
    clippy::pedantic,
    unused_braces,
    unused_qualifications,
    unused_variables,
    non_snake_case
)]
impl<T: ::unisparse::Scalar> ::unisparse::kernels::spmv for Dia<T> {
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
        use ::unisparse::__private::{Positions, span, window, window_mut, within};
        let [i_extent, j_extent] = extents;
        y.fill(<T::Sum as ::unisparse::Scalar>::ZERO);
        let (diag_idx, values) = self.__arrays();
        ::unisparse::__private::shared(
            &::unisparse::__private::Loop {
                work: (self.stored()),
                count: diag_idx.len(),
                borders: &|pieces| self.borders(pieces),
            },
            y,
            <T::Sum as ::unisparse::Scalar>::ZERO,
            |left: T::Sum, right: T::Sum| left.plus(right),
            |::core::ops::Range { start: from, end: to }, y| {
                for (diag_position, diag) in within(
                    (Positions, diag_idx.offsets()),
                    from..to,
                    0,
                ) {
                    let row_range = span(
                        [-diag],
                        [i_extent as isize, j_extent as isize - diag],
                    );
                    let y_window = window_mut(y, row_range.clone(), 0);
                    let values_window = window(
                        values,
                        row_range.clone(),
                        (diag_position * i_extent) as isize,
                    );
                    let x_window = window(x, row_range.clone(), diag);
                    for ((y_item, &value), &x_item) in y_window
                        .into_iter()
                        .zip(values_window)
                        .zip(x_window)
                    {
                        *y_item = (*y_item).plus(value.wide().times(x_item.wide()));
                    }
                }
            },
        );
        ::core::result::Result::Ok(())
    }
}
