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
impl<T: ::unisparse::Scalar, StoredW: ::unisparse::Stored<Value = T>> batch_first
for Csr<StoredW> {
    fn __run(
        &self,
        h: &mut [<T as ::unisparse::Scalar>::Sum],
        x: &[T],
        extents: [usize; 3],
    ) -> ::core::result::Result<(), ::unisparse::Error> {
        #[allow(unused_imports)]
        use ::unisparse::{
            Negate as _, Ordered as _, Scalar as _, Source as _, SparseTensor as _,
            Stored as _,
        };
        let [b_extent, o_extent, i_extent] = extents;
        if let (
            ::core::option::Option::Some(mut h_transposed),
            ::core::option::Option::Some(x_transposed),
        ) = (
            ::unisparse::__private::transposed_output(
                h,
                [b_extent, o_extent],
                0..1,
                (self.stored()).saturating_mul(b_extent),
                ::core::option::Option::Some(<T::Sum as ::unisparse::Scalar>::ZERO),
            ),
            ::unisparse::__private::transposed_copy(
                x,
                &[[b_extent, i_extent]],
                0..1,
                (self.stored()).saturating_mul(b_extent),
            ),
        ) {
            let result = {
                let h = &mut h_transposed[..];
                let x = &x_transposed[..];
                use ::unisparse::__private::{TILE, prefetch, tiles, window, window_mut};
                let [b_extent, o_extent, _] = extents;
                let (row_ptr, col_idx, values) = self.__arrays();
                ::unisparse::__private::divided(
                    ::unisparse::__private::Loop {
                        work: (self.stored()).saturating_mul(b_extent),
                        count: o_extent,
                        borders: |pieces| self.borders(pieces),
                    },
                    b_extent,
                    h,
                    row_ptr,
                    <T::Sum as ::unisparse::Scalar>::ZERO,
                    <T::Sum as ::unisparse::Scalar>::plus,
                    |::core::ops::Range { start: from, end: to }, h, row_ptr| {
                        ::unisparse::__private::multiversioned_wide(
                            #[inline(always)]
                            move |registers| {
                                let col_entries = row_ptr
                                    .over((col_idx.coordinates(), values))
                                    .below(to);
                                for row in from..to {
                                    tiles::<
                                        T::Sum,
                                    >(
                                        registers,
                                        0..b_extent,
                                        0,
                                        1,
                                        #[inline(always)]
                                        |b, width| {
                                            let mut sums = [<T::Sum as ::unisparse::Scalar>::ZERO; TILE];
                                            let sums = &mut sums[..width];
                                            for (col, value) in col_entries
                                                .segment(row)
                                                .ahead(
                                                    prefetch::distance(x, width),
                                                    prefetch::FAR * width,
                                                    #[inline(always)]
                                                    |(col, value)| col * b_extent + b,
                                                    #[inline(always)]
                                                    |(col, value)| {
                                                        prefetch::row(x, col * b_extent + b, width);
                                                    },
                                                )
                                            {
                                                let value = value.wide();
                                                let step_range = 0..width;
                                                let sums_window = window_mut(sums, step_range.clone(), 0);
                                                let x_window = window(
                                                    x,
                                                    step_range.clone(),
                                                    (col * b_extent) as isize + (b as isize),
                                                );
                                                for (sums_item, &x_item) in sums_window
                                                    .into_iter()
                                                    .zip(x_window)
                                                {
                                                    *sums_item = (*sums_item).plus(value.times(x_item.wide()));
                                                }
                                            }
                                            h[((row * b_extent) as isize + (b as isize)
                                                    - ((from * b_extent) as isize)) as usize..][..width]
                                                .copy_from_slice(&*sums);
                                        },
                                    );
                                }
                            },
                        )
                    },
                );
                ::core::result::Result::Ok(())
            };
            ::unisparse::__private::transpose_back(
                &h_transposed,
                h,
                [b_extent, o_extent],
                0..1,
            );
            result
        } else {
            let [b_extent, o_extent, i_extent] = extents;
            h.fill(<T::Sum as ::unisparse::Scalar>::ZERO);
            let (row_ptr, col_idx, values) = self.__arrays();
            ::unisparse::__private::shared(
                ::unisparse::__private::Loop {
                    work: (self.stored()).saturating_mul(b_extent),
                    count: o_extent,
                    borders: |pieces| self.borders(pieces),
                },
                h,
                false,
                <T::Sum as ::unisparse::Scalar>::ZERO,
                <T::Sum as ::unisparse::Scalar>::plus,
                |::core::ops::Range { start: from, end: to }, h| {
                    let col_entries = row_ptr
                        .over((col_idx.coordinates(), values))
                        .below(to);
                    for row in from..to {
                        for (col, value) in col_entries.segment(row) {
                            let value = value.wide();
                            for b in 0..b_extent {
                                h[b * o_extent + row] = h[b * o_extent + row]
                                    .plus(value.times(x[b * i_extent + col].wide()));
                            }
                        }
                    }
                },
            );
            ::core::result::Result::Ok(())
        }
    }
}
