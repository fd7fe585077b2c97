//! Intel's MKL, the library that is there. On other processors than Intel's it takes slower paths for arithmetic, of
//! which conversions have none.

use std::ffi::{c_int, c_void};
use std::path::PathBuf;

use libloading::Library;

use super::{Problem, Task};
use crate::matrices::{Arrangement, Element};
use crate::measure::Contestant;
use crate::reference::Compressed;

pub(super) struct Mkl(Library);

const FROM_ZERO: c_int = 0;
const AS_IT_IS: c_int = 10;
const TRANSPOSED: c_int = 11;
const ROW_MAJOR: c_int = 101;

type Handle = *mut c_void;
type CreateCoo<T> =
    unsafe extern "C" fn(*mut Handle, c_int, c_int, c_int, c_int, *const u32, *const u32, *const T) -> c_int;
type CreateCsr<T> =
    unsafe extern "C" fn(*mut Handle, c_int, c_int, c_int, *const u32, *const u32, *const u32, *const T) -> c_int;
type ConvertCsr = unsafe extern "C" fn(Handle, c_int, *mut Handle) -> c_int;
type ConvertBsr = unsafe extern "C" fn(Handle, c_int, c_int, c_int, *mut Handle) -> c_int;
type OfHandle = unsafe extern "C" fn(Handle) -> c_int;
type Int<'a> = &'a mut c_int;
type Ints<'a> = &'a mut *const c_int;
type ExportCsr<T> = unsafe extern "C" fn(Handle, Int, Int, Int, Ints, Ints, Ints, &mut *const T) -> c_int;
type ExportBsr<T> = unsafe extern "C" fn(Handle, Int, Int, Int, Int, Int, Ints, Ints, Ints, &mut *const T) -> c_int;

/// A matrix of MKL's.
struct Matrix {
    handle: Handle,
    destroy: OfHandle,
}

impl Matrix {
    /// A method, so that a closure that uses it owns the matrix, and not a copy of the field.
    fn handle(&self) -> Handle {
        self.handle
    }
}

impl Drop for Matrix {
    fn drop(&mut self) {
        // SAFETY: the handle is MKL's, and destroyed once. That of a failed call is null, which it takes.
        unsafe { (self.destroy)(self.handle) };
    }
}

impl Mkl {
    pub(super) fn open(threads: usize) -> Result<Self, String> {
        let names = ["libmkl_rt.so", "libmkl_rt.so.3", "libmkl_rt.so.2"];
        let mut candidates: Vec<PathBuf> = std::env::var_os("UNISPARSE_MKL")
            .into_iter()
            .map(PathBuf::from)
            .collect();
        if candidates.is_empty() {
            let folders = std::env::var_os("MKLROOT").into_iter().map(PathBuf::from);
            let folders = folders.flat_map(|root| [root.join("lib"), root.join("lib/intel64")]);
            candidates.extend(folders.flat_map(|folder| names.map(|name| folder.join(name))));
            candidates.extend(names.map(PathBuf::from));
        }
        // SAFETY: loading runs nothing but the start-up code of MKL.
        let opened = candidates.iter().find_map(|path| unsafe { Library::new(path) }.ok());
        let library = opened.ok_or_else(|| format!("none of {candidates:?} could be loaded"))?;
        // SAFETY: MKL declares it like this.
        unsafe {
            let set_threads = library.get::<unsafe extern "C" fn(c_int)>(b"MKL_Set_Num_Threads");
            set_threads.map_err(|error| error.to_string())?(threads as c_int);
        }
        Ok(Mkl(library))
    }

    /// The function of this name; in a name with a `?`, that for values of type `T`.
    ///
    /// # Safety
    /// `F` is its type.
    unsafe fn function<T: Element, F: Copy>(&self, name: &str) -> F {
        let letter = if T::NAME == "f32" { "s" } else { "d" };
        let name = name.replace('?', letter);
        // SAFETY: the caller's.
        *unsafe { self.0.get::<F>(name.as_bytes()) }.unwrap_or_else(|error| panic!("{error}"))
    }

    pub(super) fn contestant<'a, T: Element>(&'a self, problem: &'a Problem<T>) -> Option<Contestant<'a>> {
        let possible = matches!(problem.task, Task::Compress(_) | Task::Transpose | Task::Blocks(_));
        if !possible || !problem.divides() {
            return None;
        }
        let entries = &problem.entries;
        let [rows, cols] = entries.shape.map(|extent| extent as c_int);
        // SAFETY: these are the types of mkl_spblas.h, with 32-bit integers.
        let (destroy, order, convert_csr, convert_bsr, create_coo, create_csr) = unsafe {
            (
                self.function::<T, OfHandle>("mkl_sparse_destroy"),
                self.function::<T, OfHandle>("mkl_sparse_order"),
                self.function::<T, ConvertCsr>("mkl_sparse_convert_csr"),
                self.function::<T, ConvertBsr>("mkl_sparse_convert_bsr"),
                self.function::<T, CreateCoo<T>>("mkl_sparse_?_create_coo"),
                self.function::<T, CreateCsr<T>>("mkl_sparse_?_create_csr"),
            )
        };
        let made = move |create: &dyn Fn(&mut Handle) -> c_int| {
            let mut handle = std::ptr::null_mut();
            let status = create(&mut handle);
            assert_eq!(status, 0, "MKL refuses");
            Matrix { handle, destroy }
        };
        let source = made(&|handle| {
            if let Task::Compress(_) = problem.task {
                let (count, i, j) = (entries.len() as c_int, entries.rows.as_ptr(), entries.cols.as_ptr());
                // SAFETY: the arrays have `count` elements inside the shape, and outlive the contestant.
                unsafe { create_coo(handle, FROM_ZERO, rows, cols, count, i, j, entries.values.as_ptr()) }
            } else {
                let Compressed { ptr, idx, values } = &problem.rows;
                let (start, end) = (ptr.as_ptr(), ptr[1..].as_ptr());
                // SAFETY: these are compressed rows, and outlive the contestant.
                unsafe { create_csr(handle, FROM_ZERO, rows, cols, start, end, idx.as_ptr(), values.as_ptr()) }
            }
        });
        let task = problem.task;
        let run = move || {
            let result = made(&|handle| {
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
                // It keeps the order of the elements in each row. SAFETY: as above.
                assert_eq!(unsafe { order(result.handle()) }, 0, "MKL refuses");
            }
            result
        };
        problem.check("MKL", &self.arrays(problem, &run()));
        Some(Contestant::new("MKL", move |clock| clock.time(&run)))
    }

    fn arrays<T: Element>(&self, problem: &Problem<T>, matrix: &Matrix) -> Compressed<T> {
        let [mut base, mut layout, mut rows, mut cols, mut size] = [0; 5];
        let [mut start, mut end, mut idx] = [std::ptr::null(); 3];
        let mut values = std::ptr::null();
        // SAFETY: the types of mkl_spblas.h; the arrays that come out are those of the matrix, which lives.
        unsafe {
            if let Task::Blocks(_) = problem.task {
                let export: ExportBsr<T> = self.function::<T, _>("mkl_sparse_?_export_bsr");
                let (r, c, s) = (&mut rows, &mut cols, &mut size);
                let (start, end, idx) = (&mut start, &mut end, &mut idx);
                let status = export(
                    matrix.handle(),
                    &mut base,
                    &mut layout,
                    r,
                    c,
                    s,
                    start,
                    end,
                    idx,
                    &mut values,
                );
                assert_eq!((status, layout), (0, ROW_MAJOR), "MKL refuses");
            } else {
                let export: ExportCsr<T> = self.function::<T, _>("mkl_sparse_?_export_csr");
                let (r, c) = (&mut rows, &mut cols);
                let status = export(
                    matrix.handle(),
                    &mut base,
                    r,
                    c,
                    &mut start,
                    &mut end,
                    &mut idx,
                    &mut values,
                );
                assert_eq!(status, 0, "MKL refuses");
                size = 1;
            }
            let start = std::slice::from_raw_parts(start, rows as usize);
            let end = std::slice::from_raw_parts(end, rows as usize);
            assert!(start[1..] == end[..start.len() - 1], "MKL: gaps between rows");
            let count = (end.last().copied().unwrap_or(base) - base) as usize;
            let ptr = start.iter().chain(end.last()).map(|at| at - base);
            let idx = std::slice::from_raw_parts(idx, count).iter().map(|at| at - base);
            let values = std::slice::from_raw_parts(values, count * (size * size) as usize);
            Compressed::of(ptr, idx, values)
        }
    }
}
