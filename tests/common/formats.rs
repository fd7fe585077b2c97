//! Lists of formats that tests compile kernels for.

/// Declares kernels over one sparse operand: `over_formats! { A: [Csr Csc] [Coo]; [total: s = A[i, j]] }` compiles each statement for
/// the formats in the first brackets, and with `RUSTFLAGS="--cfg every_product"` for those in the second, too.
macro_rules! over_formats {
    ($operand:ident: $some:tt $further:tt; $($(#[$attribute:meta])* [$visibility:vis $kernel:ident: $($statement:tt)*])*) => {
        $(over_formats!(@ $operand $some $further { $(#[$attribute])* $visibility } $kernel: $($statement)*);)*
    };
    (@ $operand:ident [$($some:ident)*] [$($further:ident)*] { $($before:tt)* } $($statement:tt)*) => {
        #[cfg(not(every_product))]
        sparse_kernel! { $($before)* fn $($statement)* where $operand: $($some)|*; }
        #[cfg(every_product)]
        sparse_kernel! { $($before)* fn $($statement)* where $operand: $($some |)* $($further)|*; }
    };
}
pub(crate) use over_formats;
