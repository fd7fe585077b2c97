//! Conversions of MKL.

use std::ffi::c_int;

use super::{AS_IT_IS, ConvertBsr, ConvertCsr, CreateCoo, FROM_ZERO, Mkl, OfHandle, ROW_MAJOR, TRANSPOSED};
use crate::harness::conversion::{Problem, Task};
use crate::harness::matrices::{Arrangement, Element};
use crate::harness::measure::Contestant;

impl Mkl {
    pub(in super::super) fn convert<'a, T: Element>(&'a self, problem: &'a Problem<T>) -> Option<Contestant<'a>> {
        let task = problem.task;
        let in_blocks = matches!(task, Task::Blocks(_));
        let possible = in_blocks || matches!(task, Task::Compress(_) | Task::Transpose);
        if !possible || !problem.divides() {
            return None;
        }
        // SAFETY: these are the types of mkl_spblas.h, with 32-bit integers.
        let (order, convert_csr, convert_bsr, create_coo) = unsafe {
            (
                self.function::<T, OfHandle>("mkl_sparse_order"),
                self.function::<T, ConvertCsr>("mkl_sparse_convert_csr"),
                self.function::<T, ConvertBsr>("mkl_sparse_convert_bsr"),
                self.function::<T, CreateCoo<T>>("mkl_sparse_?_create_coo"),
            )
        };
        let entries = &problem.entries;
        let source = if let Task::Compress(_) = task {
            let [rows, cols] = entries.shape.map(|extent| extent as c_int);
            let (count, i, j) = (entries.len() as c_int, entries.rows.as_ptr(), entries.cols.as_ptr());
            // SAFETY: the arrays have `count` elements inside the shape, and outlive the contestant.
            self.made::<T>(|handle| unsafe {
                create_coo(handle, FROM_ZERO, rows, cols, count, i, j, entries.values.as_ptr())
            })
        } else {
            // SAFETY: the problem outlives the contestant.
            unsafe { self.of_rows(entries.shape, &problem.rows) }
        };
        let run = move || {
            let result = self.made::<T>(|handle| {
                // SAFETY: the source is a matrix of MKL's, and lives.
                unsafe {
                    match task {
                        Task::Transpose => convert_csr(source.handle(), TRANSPOSED, handle),
                        Task::Blocks(size) => convert_bsr(source.handle(), size as c_int, ROW_MAJOR, AS_IT_IS, handle),
                        _ => convert_csr(source.handle(), AS_IT_IS, handle),
                    }
                }
            });
            if task == Task::Compress(Arrangement::Shuffled) {
                // MKL keeps the order of the elements in each row. SAFETY: as above.
                assert_eq!(unsafe { order(result.handle()) }, 0, "MKL refuses");
            }
            result
        };
        problem.check("MKL", &self.arrays(&run(), in_blocks));
        Some(Contestant::new("MKL", move |shot| shot.time(&run)))
    }
}
