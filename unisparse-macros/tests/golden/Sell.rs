#[automatically_derived]
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
    const C: usize,
    const SIGMA: usize,
> ::unisparse::kernels::spmv for Sell<T, C, SIGMA> {
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
        use ::unisparse::__private::{Blocks, Positions, cells, window, within};
        let [i_extent, _] = extents;
        y.fill(<T::Sum as ::unisparse::Scalar>::ZERO);
        let chunk_size = self.chunk_size();
        let (chunk_ptr, row_idx, col_idx, values) = self.__arrays();
        let window_size = usize::div_ceil(i_extent, SIGMA);
        ::unisparse::__private::shared(
            &::unisparse::__private::Loop {
                work: (self.stored()),
                count: window_size,
                borders: &|pieces| self.borders(pieces),
            },
            y,
            <T::Sum as ::unisparse::Scalar>::ZERO,
            |left: T::Sum, right: T::Sum| left.plus(right),
            |::core::ops::Range { start: from, end: to }, y| {
                let slot_entries = chunk_ptr.over((Positions, Blocks::new(values, C)));
                for window_2 in from..to {
                    for chunk in chunk_ptr.occupied(window_2 * chunk_size, 0..chunk_size)
                    {
                        for (slot_position, values) in slot_entries
                            .segment(window_2 * chunk_size + chunk)
                        {
                            let lane_range = 0..C;
                            let values_window = window(values, lane_range.clone(), 0);
                            for ((y_cell, &value), x_item) in within(
                                    row_idx.scatter(cells(y)),
                                    lane_range.clone(),
                                    (slot_position * C) as isize,
                                )
                                .into_iter()
                                .zip(values_window)
                                .zip(
                                    within(
                                        col_idx.gather(x),
                                        lane_range.clone(),
                                        (slot_position * C) as isize,
                                    ),
                                )
                            {
                                y_cell
                                    .set(y_cell.get().plus(value.wide().times(x_item.wide())));
                            }
                        }
                    }
                }
            },
        );
        ::core::result::Result::Ok(())
    }
}
