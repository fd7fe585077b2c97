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
> add<Csr<StoredB>, Csr<T>> for Csr<StoredA> {
    fn __run(
        &self,
        b: &Csr<StoredB>,
        extents: [usize; 2],
    ) -> ::core::result::Result<Csr<T>, ::unisparse::Error> {
        #[allow(unused_imports)]
        use ::unisparse::{
            Negate as _, Ordered as _, Scalar as _, Source as _, SparseTensor as _,
            Stored as _,
        };
        use ::unisparse::__private::{either, union};
        let [i_extent, j_extent] = extents;
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
                    for i in from..to {
                        output
                            .extend(
                                [i, 0],
                                union(
                                    a_col_idx.ascending(a_row_ptr.range(i)),
                                    b_col_idx.ascending(b_row_ptr.range(i)),
                                ),
                                |(j, (a_j_at, b_j_at))| {
                                    let a_j_at = a_j_at.map_or(0..0, |at| at..at + 1);
                                    let b_j_at = b_j_at.map_or(0..0, |at| at..at + 1);
                                    either(
                                            (!a_j_at.is_empty()).then(|| a_values[a_j_at.start].wide()),
                                            (!b_j_at.is_empty()).then(|| b_values[b_j_at.start].wide()),
                                            |left, right| left.plus(right),
                                        )
                                        .map(|value| (j, T::narrow(value)))
                                },
                            );
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
