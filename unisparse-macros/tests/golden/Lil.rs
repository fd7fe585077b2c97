/// A list of lists: for each row its columns and values, side by side.
///
/**# Layout

```text
|i, j| (row: i, col: j) { merge(row); trim(col); pack(row..=col); }
```

| level | expr | domain | storage | why |
|---|---|---|---|---|
| `row` | `i` | `0..i_extent` | size | not trimmed: every coordinate, no index array |
| `col` | `j` | `0..j_extent` | ptr u32, idx u32 | trimmed, below `row`, one segment for each of its nodes; packed into `col_entries` with the values |

The 5 × 4 matrix with (0, 0) = 1, (1, 1) = 2, (2, 1) = 3, (2, 2) = 4, (2, 3) = 5, (4, 3) = 6:

```text
row   col   value
0 ─── 0 ─── 1
1 ─── 1 ─── 2
2 ─┬─ 1 ─── 3
   ├─ 2 ─── 4
   └─ 3 ─── 5
3
4 ─── 3 ─── 6

row_size = 5
row_ptr = [0, 1, 2, 5, 5, 6]
(col_idx, values) = [(0, 1)] | [(1, 2)] | [(1, 3), (2, 4), (3, 5)] | [] | [(3, 6)]
```
*/
#[derive(::core::clone::Clone)]
#[allow(non_snake_case)]
pub struct Lil<T> {
    shape: [usize; 2],
    row_ptr: ::unisparse::__private::Pointers<u32>,
    col_entries: ::unisparse::__private::Packed<0, ::std::vec::Vec<(u32, T)>>,
}
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
> ::unisparse::kernels::spmv for Lil<StoredA> {
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
        let [i_extent, _] = extents;
        let y = &mut y[..i_extent];
        let (row_ptr, col_idx, values) = self.__arrays();
        ::unisparse::__private::divided(
            ::unisparse::__private::Loop {
                work: (self.stored()),
                count: i_extent,
                borders: |pieces| self.borders(pieces),
            },
            1,
            y,
            row_ptr,
            <T::Sum as ::unisparse::Scalar>::ZERO,
            <T::Sum as ::unisparse::Scalar>::plus,
            |::core::ops::Range { start: from, end: to }, y, row_ptr| {
                let y = &mut y[..to - from];
                let col_entries = row_ptr.over((values, col_idx.gather(x))).below(to);
                col_entries.dots(from..to, y);
            },
        );
        ::core::result::Result::Ok(())
    }
}
