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
> ::unisparse::kernels::spmv for Dia<StoredA> {
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
        use ::unisparse::__private::{
            TILE, Positions, entries, tile_part, span, tiles, window, window_ahead,
        };
        let [i_extent, j_extent] = extents;
        let y = &mut y[..i_extent];
        let (diag_idx, values) = self.__arrays();
        ::unisparse::__private::owned(
            ::unisparse::__private::Loop {
                work: (self.stored()),
                count: i_extent,
                borders: |pieces| ::unisparse::__private::even_borders(i_extent, pieces),
            },
            1,
            y,
            |::core::ops::Range { start: from, end: to }, y| {
                let y = &mut y[..to - from];
                ::unisparse::__private::multiversioned_wide(
                    #[inline(always)]
                    move |registers| {
                        tiles::<
                            T::Sum,
                        >(
                            registers,
                            from..to,
                            0,
                            1,
                            #[inline(always)]
                            |row, width| {
                                let mut sums = [<T::Sum as ::unisparse::Scalar>::ZERO; TILE];
                                let sums = &mut sums[..width];
                                for (diag_position, diag) in entries(
                                    diag_idx.len(),
                                    (Positions, diag_idx.offsets()),
                                ) {
                                    let step_range = span(
                                        [-diag - (row as isize)],
                                        [width as isize, j_extent as isize - diag - (row as isize)],
                                    );
                                    let values_window = window_ahead(
                                        values,
                                        step_range.clone(),
                                        (diag_position * i_extent) as isize + (row as isize),
                                    );
                                    let x_window = window(
                                        x,
                                        step_range.clone(),
                                        diag + (row as isize),
                                    );
                                    tile_part(
                                        sums,
                                        step_range.clone(),
                                        <T::Sum as ::unisparse::Scalar>::ZERO,
                                        |left, right| left.plus(right),
                                        #[inline(always)]
                                        |sums| {
                                            let count = sums.len();
                                            for ((sums_item, &value), &x_item) in sums[..count]
                                                .iter_mut()
                                                .zip(values_window[..count].iter())
                                                .zip(x_window[..count].iter())
                                            {
                                                *sums_item = (*sums_item)
                                                    .plus(value.wide().times(x_item.wide()));
                                            }
                                        },
                                    );
                                }
                                y[(row as isize - (from as isize)) as usize..][..width]
                                    .copy_from_slice(&*sums);
                            },
                        );
                    },
                )
            },
        );
        ::core::result::Result::Ok(())
    }
}
