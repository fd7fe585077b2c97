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
    StoredA: ::unisparse::Stored<Value = T>,
    StoredB: ::unisparse::Stored<Value = T>,
> spgemm<Csr<StoredB>, Csr<T>> for Csr<StoredA> {
    fn __run(
        &self,
        b: &Csr<StoredB>,
        extents: [usize; 3],
    ) -> ::core::result::Result<Csr<T>, ::unisparse::Error> {
        #[allow(unused_imports)]
        use ::unisparse::{
            Negate as _, Ordered as _, Scalar as _, Source as _, SparseTensor as _,
            Stored as _,
        };
        use ::unisparse::__private::prefetch;
        let [i_extent, j_extent, _] = extents;
        let keys = ::unisparse::__private::workspace_keys([j_extent])?;
        let room = self.stored() + b.stored();
        let shape = [i_extent, j_extent];
        let pieces = ::std::vec::Vec::from({
            let (a_row_ptr, a_col_idx, a_values) = self.__arrays();
            let (b_row_ptr, b_col_idx, b_values) = b.__arrays();
            ::unisparse::__private::built(
                ::unisparse::__private::Loop {
                    work: (self.stored() + b.stored()),
                    count: i_extent,
                    borders: |pieces| self.borders(pieces),
                },
                |::core::ops::Range { start: from, end: to }| {
                    let mut output = ::unisparse::__private::Fibers::<
                        T,
                        2,
                        { ::unisparse::__private::loop_order([0, 1]) },
                        _,
                    >::of_part(
                        shape,
                        room,
                        ::core::ops::Range {
                            start: from,
                            end: to,
                        },
                        i_extent,
                    );
                    let mut workspace = ::unisparse::__private::Workspace::new(keys);
                    let col_entries = b_row_ptr
                        .over((b_col_idx.coordinates(), b_values));
                    let col_entries_2 = a_row_ptr
                        .over((a_col_idx.coordinates(), a_values))
                        .below(to);
                    for row in from..to {
                        let mut fiber = workspace.open();
                        fiber
                            .fill(
                                #[inline(always)]
                                |fiber| {
                                    for (col, a_value) in col_entries_2
                                        .segment(row)
                                        .ahead(
                                            col_entries.distance(),
                                            prefetch::FAR,
                                            #[inline(always)]
                                            |(col, a_value)| col,
                                            #[inline(always)]
                                            |(col, a_value)| {
                                                col_entries.prefetch_at(col);
                                            },
                                        )
                                    {
                                        let a_value = a_value.wide();
                                        fiber
                                            .extend(
                                                col_entries
                                                    .at(col)
                                                    .map(|(col_2, b_value)| (
                                                        col_2,
                                                        a_value.times(b_value.wide()),
                                                    )),
                                                |left, right| left.plus(right),
                                            );
                                    }
                                },
                            );
                        fiber.append_to(&mut output, [row, 0]);
                    }
                    output
                },
            )
        });
        ::unisparse::__private::Fibers::<
            T,
            2,
            { ::unisparse::__private::loop_order([0, 1]) },
            _,
        >::join(pieces)
            .unwrap_or_else(|| ::unisparse::__private::Fibers::<
                T,
                2,
                { ::unisparse::__private::loop_order([0, 1]) },
                _,
            >::new(shape))
            .into_format(::unisparse::Limit::default())
    }
}
