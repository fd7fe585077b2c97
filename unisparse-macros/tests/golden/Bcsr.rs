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
impl<
    T: ::unisparse::Scalar,
    StoredA: ::unisparse::Padding<Value = T>,
    const R: usize,
    const C: usize,
> ::unisparse::kernels::spmv for Bcsr<StoredA, R, C> {
    fn __run(
        &self,
        y: &mut [<T as ::unisparse::Scalar>::Sum],
        x: &[T],
        extents: [usize; 2],
    ) -> ::core::result::Result<(), ::unisparse::Error> {
        #[allow(unused_imports)]
        use ::unisparse::{
            Negate as _, Ordered as _, Scalar as _, Source as _, SparseTensor as _,
            Stored as _,
        };
        use ::unisparse::__private::{Blocks, TILE, span, tiles, window};
        let [i_extent, j_extent] = extents;
        let y = &mut y[..i_extent];
        let (brow_ptr, bcol_idx, values) = self.__arrays();
        let brow_size = usize::div_ceil(i_extent, R);
        ::unisparse::__private::divided(
            ::unisparse::__private::Loop {
                work: (self.stored()),
                count: brow_size,
                borders: |pieces| self.borders(pieces),
            },
            R,
            y,
            brow_ptr,
            <T::Sum as ::unisparse::Scalar>::ZERO,
            <T::Sum as ::unisparse::Scalar>::plus,
            |::core::ops::Range { start: from, end: to }, y, brow_ptr| {
                ::unisparse::__private::multiversioned_wide(
                    #[inline(always)]
                    move |registers| {
                        let bcol_entries = brow_ptr
                            .over((bcol_idx.coordinates(), Blocks::new(values, C * R)))
                            .below(to);
                        for brow in from..to {
                            tiles::<
                                T::Sum,
                            >(
                                registers,
                                span(
                                    [],
                                    [R as isize, i_extent as isize - ((R * brow) as isize)],
                                ),
                                R,
                                1,
                                #[inline(always)]
                                |r, width| {
                                    let mut sums = [<T::Sum as ::unisparse::Scalar>::ZERO; TILE];
                                    let sums = &mut sums[..width];
                                    bcol_entries
                                        .segment(brow)
                                        .each_counted(
                                            C,
                                            |(bcol, values)| {
                                                span(
                                                        [],
                                                        [C as isize, j_extent as isize - ((C * bcol) as isize)],
                                                    )
                                                    .len()
                                            },
                                            #[inline(always)]
                                            |(bcol, values), count| {
                                                for step in 0..width {
                                                    let mut sum = <T::Sum as ::unisparse::Scalar>::NEUTRAL;
                                                    let c_range = 0..count;
                                                    let values_window = window(
                                                        values,
                                                        c_range.clone(),
                                                        (C * (r + step)) as isize,
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
                                                    sums[step] = sums[step].plus(sum);
                                                }
                                            },
                                        );
                                    y[((R * brow) as isize + (r as isize)
                                            - ((from * R) as isize)) as usize..][..width]
                                        .copy_from_slice(&*sums);
                                },
                            );
                        }
                    },
                )
            },
        );
        ::core::result::Result::Ok(())
    }
}
