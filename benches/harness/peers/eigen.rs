//! Eigen, behind a shim in C++.

use std::ffi::{c_int, c_void};

use libloading::{Library, Symbol};

use super::native::{compile_both, of_type};
use crate::harness::matrices::{Compressed, Element};
use crate::harness::measure::Contestant;
use crate::harness::{computation, conversion};

pub(super) struct Eigen([Library; 2]);

type Triplets<T> = unsafe extern "C" fn(i64, *const u32, *const u32, *const T) -> *mut c_void;
type Compress = unsafe extern "C" fn(i64, i64, *const c_void) -> *mut c_void;
type Transpose = unsafe extern "C" fn(*const c_void) -> *mut c_void;
type View<T> = unsafe extern "C" fn(i64, i64, *const u32, *const u32, *const T) -> *mut c_void;
type Multiply<T> = unsafe extern "C" fn(*const c_void, i64, *const T, *mut T);
type Square = unsafe extern "C" fn(*const c_void) -> *mut c_void;
type Add = unsafe extern "C" fn(*const c_void, *const c_void) -> *mut c_void;
type Release = unsafe extern "C" fn(*mut c_void);
type Array<T> = unsafe extern "C" fn(*const c_void) -> *const T;

/// An object of the shim, deleted when dropped.
struct Object<'a> {
    pointer: *mut c_void,
    release: Symbol<'a, Release>,
}

impl Object<'_> {
    /// A method, so that a closure captures the object and not a copy of the field.
    fn pointer(&self) -> *mut c_void {
        self.pointer
    }
}

impl Drop for Object<'_> {
    fn drop(&mut self) {
        // SAFETY: the shim has made it with `new`, and it is deleted once.
        unsafe { (self.release)(self.pointer) }
    }
}

impl Eigen {
    pub(super) fn compile() -> Result<Self, String> {
        let headers = std::env::var("UNISPARSE_EIGEN").unwrap_or_else(|_| "/usr/include/eigen3".to_owned());
        if !std::path::Path::new(&headers).join("Eigen/SparseCore").exists() {
            return Err(format!("no `{headers}/Eigen/SparseCore`"));
        }
        compile_both("c++", include_str!("eigen.cpp"), &["-fopenmp", "-I", &headers]).map(Eigen)
    }

    pub(super) fn convert<'a, T: Element>(&'a self, problem: &'a conversion::Problem<T>) -> Option<Contestant<'a>> {
        use conversion::Task;
        if !matches!(problem.task, Task::Compress(_) | Task::Transpose) {
            return None;
        }
        let library = of_type::<T>(&self.0);
        // SAFETY: these are the types that `eigen.cpp` declares.
        let (triplets, compress, transpose) = unsafe {
            (
                library.get::<Triplets<T>>(b"triplets").expect("the shim has it"),
                library.get::<Compress>(b"compress").expect("the shim has it"),
                library.get::<Transpose>(b"transpose").expect("the shim has it"),
            )
        };
        let release = |name: &[u8]| {
            // SAFETY: as above.
            unsafe { library.get::<Release>(name) }.expect("the shim has it")
        };
        let entries = &problem.entries;
        let [rows, cols] = entries.shape;
        let (count, i, j) = (entries.len() as i64, entries.rows.as_ptr(), entries.cols.as_ptr());
        let triplets = Object {
            // SAFETY: the three arrays have `count` elements.
            pointer: unsafe { triplets(count, i, j, entries.values.as_ptr()) },
            release: release(b"release_triplets"),
        };
        let release_rows = release(b"release_rows");
        let compress = move || Object {
            // SAFETY: the triplets are alive, and inside the shape.
            pointer: unsafe { compress(rows as i64, cols as i64, triplets.pointer()) },
            release: release_rows.clone(),
        };
        if problem.task != Task::Transpose {
            problem.check("Eigen", &arrays::<T>(library, &compress(), "rows", rows));
            return Some(Contestant::new("Eigen", move |shot| shot.time(&compress)));
        }
        let source = compress();
        drop(compress);
        let release_columns = release(b"release_columns");
        let transpose = move || Object {
            // SAFETY: the matrix is alive.
            pointer: unsafe { transpose(source.pointer()) },
            release: release_columns.clone(),
        };
        problem.check("Eigen", &arrays::<T>(library, &transpose(), "columns", cols));
        Some(Contestant::new("Eigen", move |shot| shot.time(&transpose)))
    }

    pub(super) fn set_threads(&self, threads: usize) {
        for library in &self.0 {
            // SAFETY: the shim declares it like this.
            unsafe {
                let set = library.get::<unsafe extern "C" fn(c_int)>(b"set_threads");
                set.expect("the shim has it")(threads as c_int);
            }
        }
    }

    pub(super) fn compute<'a, T: Element>(&'a self, problem: &'a computation::Problem<T>) -> Option<Contestant<'a>> {
        use computation::Task;
        let library = of_type::<T>(&self.0);
        // SAFETY: these are the types that `eigen.cpp` declares.
        let (view, multiply, square, add, release, release_view) = unsafe {
            (
                library.get::<View<T>>(b"view").expect("the shim has it"),
                library.get::<Multiply<T>>(b"multiply").expect("the shim has it"),
                library.get::<Square>(b"square").expect("the shim has it"),
                library.get::<Add>(b"add").expect("the shim has it"),
                library.get::<Release>(b"release_rows").expect("the shim has it"),
                library.get::<Release>(b"release_view").expect("the shim has it"),
            )
        };
        let [rows, cols] = problem.shape.map(|extent| extent as i64);
        let of_rows = |matrix: &Compressed<T>| Object {
            // SAFETY: these are compressed rows; the problem outlives the contestant.
            pointer: unsafe {
                view(
                    rows,
                    cols,
                    matrix.ptr.as_ptr(),
                    matrix.idx.as_ptr(),
                    matrix.values.as_ptr(),
                )
            },
            release: release_view.clone(),
        };
        let a = of_rows(&problem.rows);
        if let Task::Multiply { columns } = problem.task {
            let (mut output, dense) = (problem.output(), &problem.dense[..]);
            let product = move |output: &mut [T]| {
                // SAFETY: the matrix is alive, and both arrays have as many rows as it says, of `columns` each.
                unsafe { multiply(a.pointer(), columns as i64, dense.as_ptr(), output.as_mut_ptr()) }
            };
            product(&mut output);
            problem.check_dense("Eigen", &output);
            return Some(Contestant::new("Eigen", move |shot| shot.time(|| product(&mut output))));
        }
        let other = match problem.task {
            Task::Square => None,
            Task::AddTransposed => problem.transposed.as_ref().map(of_rows),
            _ => return None,
        };
        let run = move || Object {
            // SAFETY: the operands are alive.
            pointer: unsafe {
                match &other {
                    None => square(a.pointer()),
                    Some(other) => add(a.pointer(), other.pointer()),
                }
            },
            release: release.clone(),
        };
        problem.check_sparse("Eigen", &arrays::<T>(library, &run(), "rows", problem.shape[0]));
        Some(Contestant::new("Eigen", move |shot| shot.time(&run)))
    }
}

/// Returns the arrays of a matrix of the shim, whose kind of matrix has this name.
fn arrays<T: Element>(library: &Library, matrix: &Object, kind: &str, extent: usize) -> Compressed<T> {
    fn array<'a, E>(library: &Library, matrix: &'a Object, name: &str, len: usize) -> &'a [E] {
        // SAFETY: the shim declares it like this, and the matrix lives on.
        unsafe {
            let array = library.get::<Array<E>>(name.as_bytes()).expect("the shim has it");
            std::slice::from_raw_parts(array(matrix.pointer()), len)
        }
    }
    let ptr: &[c_int] = array(library, matrix, &format!("{kind}_ptr"), extent + 1);
    let count = ptr[extent] as usize;
    let idx: &[c_int] = array(library, matrix, &format!("{kind}_idx"), count);
    Compressed::of(
        ptr.iter().copied(),
        idx.iter().copied(),
        array(library, matrix, &format!("{kind}_values"), count),
    )
}
