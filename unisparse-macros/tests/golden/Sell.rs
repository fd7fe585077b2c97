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
    const C: usize,
    const SIGMA: usize,
> ::unisparse::kernels::spmv for Sell<StoredA, C, SIGMA> {
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
            Blocks, TILE, Positions, cells, tiles, window, window_mut, within,
        };
        let [i_extent, _] = extents;
        let y = &mut y[..i_extent];
        y.fill(<T::Sum as ::unisparse::Scalar>::ZERO);
        let chunk_size = self.chunk_size();
        let (chunk_ptr, row_idx, col_idx, values) = self.__arrays();
        let window_size = usize::div_ceil(i_extent, SIGMA);
        ::unisparse::__private::owned(
            ::unisparse::__private::Loop {
                work: (self.stored()),
                count: window_size,
                borders: |pieces| self.borders(pieces),
            },
            SIGMA,
            y,
            |::core::ops::Range { start: from, end: to }, y| {
                ::unisparse::__private::multiversioned(
                    #[inline(always)]
                    move |registers| {
                        let slot_entries = chunk_ptr
                            .over((Positions, Blocks::new(values, C)));
                        for window_2 in from..to {
                            for chunk in 0..chunk_size {
                                if let ::core::option::Option::Some(first) = chunk_ptr
                                    .range(window_2 * chunk_size + chunk)
                                    .next()
                                {
                                    tiles::<
                                        T::Sum,
                                    >(
                                        registers,
                                        0..C,
                                        C,
                                        1,
                                        #[inline(always)]
                                        |lane, width| {
                                            let mut sums = [<T::Sum as ::unisparse::Scalar>::ZERO; TILE];
                                            let sums = &mut sums[..width];
                                            for (slot_position, values) in slot_entries
                                                .segment(window_2 * chunk_size + chunk)
                                            {
                                                let step_range = 0..width;
                                                let sums_window = window_mut(sums, step_range.clone(), 0);
                                                let values_window = window(
                                                    values,
                                                    step_range.clone(),
                                                    lane as isize,
                                                );
                                                for ((sums_item, &value), x_item) in sums_window
                                                    .into_iter()
                                                    .zip(values_window)
                                                    .zip(
                                                        within(
                                                            col_idx.gather(x),
                                                            step_range.clone(),
                                                            (slot_position * C) as isize + (lane as isize),
                                                        ),
                                                    )
                                                {
                                                    *sums_item = (*sums_item)
                                                        .plus(value.wide().times(x_item.wide()));
                                                }
                                            }
                                            for (y_cell, &sum) in within(
                                                    row_idx.scatter_from(cells(y), from * SIGMA),
                                                    0..width,
                                                    ((window_2 * chunk_size + chunk) * C + lane) as isize,
                                                )
                                                .zip(&*sums)
                                            {
                                                if let ::core::option::Option::Some(y_cell) = y_cell {
                                                    y_cell.set(y_cell.get().plus(sum));
                                                }
                                            }
                                        },
                                    );
                                }
                            }
                        }
                    },
                )
            },
        );
        ::core::result::Result::Ok(())
    }
}
