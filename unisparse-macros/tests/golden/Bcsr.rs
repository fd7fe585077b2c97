#[automatically_derived]
#[allow(
    clippy::all,
    clippy::pedantic,
    unused_braces,
    unused_qualifications,
    unused_variables,
    non_snake_case
)]
impl<T: ::unisparse::Scalar, const R: usize, const C: usize> ::unisparse::kernels::spmv
for Bcsr<T, R, C> {
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
        use ::unisparse::__private::{Positions, span, window};
        let [i_extent, j_extent] = extents;
        let y = &mut y[..i_extent];
        y.fill(<T::Sum as ::unisparse::Scalar>::ZERO);
        let (brow_ptr, bcol_idx, values) = self.__arrays();
        let brow_size = usize::div_ceil(i_extent, R);
        ::unisparse::__private::owned(
            &::unisparse::__private::Loop {
                work: (self.stored()),
                count: brow_size,
                borders: &|pieces| self.borders(pieces),
            },
            R,
            y,
            |::core::ops::Range { start: from, end: to }, y| {
                let bcol_entries = brow_ptr
                    .over((Positions, bcol_idx.coordinates()))
                    .first(to);
                for brow in from..to {
                    for (bcol_position, bcol) in bcol_entries.segment(brow) {
                        for r in span(
                            [],
                            [R as isize, i_extent as isize - ((R * brow) as isize)],
                        ) {
                            let mut sum = <T::Sum as ::unisparse::Scalar>::ZERO;
                            let c_range = span(
                                [],
                                [C as isize, j_extent as isize - ((C * bcol) as isize)],
                            );
                            let values_window = window(
                                values,
                                c_range.clone(),
                                ((bcol_position * R + r) * C) as isize,
                            );
                            let x_window = window(
                                x,
                                c_range.clone(),
                                (C * bcol) as isize,
                            );
                            for (&value, &x_item) in values_window
                                .into_iter()
                                .zip(x_window)
                            {
                                sum = sum.plus(value.wide().times(x_item.wide()));
                            }
                            y[((R * brow) as isize + (r as isize)
                                - ((from * R) as isize)) as usize] = y[((R * brow) as isize
                                    + (r as isize) - ((from * R) as isize)) as usize]
                                .plus(sum);
                        }
                    }
                }
            },
        );
        ::core::result::Result::Ok(())
    }
}
