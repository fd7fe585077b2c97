//! The stock kernels: they work for every declared format of their rank, with nothing more written.

crate::__private::__stock_kernels! { {crate} }
