//! Intel's MKL, the installed library without changes. On processors of other vendors it takes slower code paths for arithmetic,
//! but not for conversions; users can preload a library that selects the other paths.

mod compute;
mod convert;

use std::ffi::{c_int, c_void};
use std::path::PathBuf;

use libloading::Library;

use crate::harness::matrices::{Compressed, Element};

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

/// A matrix of MKL.
struct Matrix {
    handle: Handle,
    destroy: OfHandle,
}

impl Matrix {
    /// A method, so that a closure captures the matrix and not a copy of the field.
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

    /// Returns the function of this name; `?` in the name stands for the type `T` of the values.
    ///
    /// # Safety
    /// `F` must be its type.
    unsafe fn function<T: Element, F: Copy>(&self, name: &str) -> F {
        let letter = if T::NAME == "f32" { "s" } else { "d" };
        let name = name.replace('?', letter);
        // SAFETY: the caller's.
        *unsafe { self.0.get::<F>(name.as_bytes()) }.unwrap_or_else(|error| panic!("{error}"))
    }

    /// Returns the matrix that `create` makes.
    fn made<T: Element>(&self, create: impl FnOnce(&mut Handle) -> c_int) -> Matrix {
        // SAFETY: this is its type.
        let destroy = unsafe { self.function::<T, OfHandle>("mkl_sparse_destroy") };
        let mut handle = std::ptr::null_mut();
        let status = create(&mut handle);
        assert_eq!(status, 0, "MKL refuses");
        Matrix { handle, destroy }
    }

    /// Creates a matrix from compressed rows.
    ///
    /// # Safety
    /// `rows` must outlive the matrix.
    unsafe fn of_rows<T: Element>(&self, shape: [usize; 2], rows: &Compressed<T>) -> Matrix {
        let [count, cols] = shape.map(|extent| extent as c_int);
        let Compressed { ptr, idx, values } = rows;
        let (start, end) = (ptr.as_ptr(), ptr[1..].as_ptr());
        // SAFETY: the types of mkl_spblas.h, with 32-bit integers; the arrays are compressed rows, and outlive the matrix.
        self.made::<T>(|handle| unsafe {
            let create: CreateCsr<T> = self.function::<T, _>("mkl_sparse_?_create_csr");
            create(
                handle,
                FROM_ZERO,
                count,
                cols,
                start,
                end,
                idx.as_ptr(),
                values.as_ptr(),
            )
        })
    }

    /// Returns the arrays of a matrix in compressed rows, or in compressed block rows.
    fn arrays<T: Element>(&self, matrix: &Matrix, in_blocks: bool) -> Compressed<T> {
        let [mut base, mut layout, mut rows, mut cols, mut size] = [0; 5];
        let [mut start, mut end, mut idx] = [std::ptr::null(); 3];
        let mut values = std::ptr::null();
        let (handle, r, c) = (matrix.handle(), &mut rows, &mut cols);
        // SAFETY: the types of mkl_spblas.h; the arrays that come out are those of the matrix, which lives.
        unsafe {
            let (starts, ends, indices) = (&mut start, &mut end, &mut idx);
            let at = &mut values;
            let status = if in_blocks {
                let export: ExportBsr<T> = self.function::<T, _>("mkl_sparse_?_export_bsr");
                let (base, layout, size) = (&mut base, &mut layout, &mut size);
                export(handle, base, layout, r, c, size, starts, ends, indices, at)
            } else {
                size = 1;
                layout = ROW_MAJOR;
                let export: ExportCsr<T> = self.function::<T, _>("mkl_sparse_?_export_csr");
                export(handle, &mut base, r, c, starts, ends, indices, at)
            };
            assert_eq!((status, layout), (0, ROW_MAJOR), "MKL refuses");
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

    /// Returns the library that MKL loaded for this processor, as far as the system reports it.
    pub(super) fn path(&self) -> Option<String> {
        let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
        let names = maps.lines().filter_map(|line| line.rsplit('/').next());
        let kinds = ["_def.", "_mc", "_avx"];
        let mut found = names.filter(|name| name.starts_with("libmkl") && kinds.iter().any(|kind| name.contains(kind)));
        found.find(|name| !name.contains("vml")).map(str::to_owned)
    }
}
