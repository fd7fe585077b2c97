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
> ::unisparse::kernels::spmv for Ell<StoredA> {
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
        use ::unisparse::__private::{TILE, tiles, window_ahead, window_mut, within};
        let [i_extent, _] = extents;
        let y = &mut y[..i_extent];
        let slot_size = self.slot_size();
        let (col_idx, values) = self.__arrays();
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
                ::unisparse::__private::multiversioned(
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
                                for slot in 0..slot_size {
                                    let step_range = 0..width;
                                    let sums_window = window_mut(sums, step_range.clone(), 0);
                                    let values_window = window_ahead(
                                        values,
                                        step_range.clone(),
                                        (slot * i_extent) as isize + (row as isize),
                                    );
                                    for ((sums_item, &value), x_item) in sums_window
                                        .into_iter()
                                        .zip(values_window)
                                        .zip(
                                            within(
                                                col_idx.gather(x),
                                                step_range.clone(),
                                                (slot * i_extent) as isize + (row as isize),
                                            ),
                                        )
                                    {
                                        *sums_item = (*sums_item)
                                            .plus(value.wide().times(x_item.wide()));
                                    }
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
