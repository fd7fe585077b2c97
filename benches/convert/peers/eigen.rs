//! Eigen, behind a shim in C++.

use std::ffi::{c_int, c_void};

use libloading::{Library, Symbol};

use super::native::{compile_both, of_type};
use super::{Problem, Task};
use crate::matrices::Element;
use crate::measure::Contestant;
use crate::reference::Compressed;

pub(super) struct Eigen([Library; 2]);

type Triplets<T> = unsafe extern "C" fn(i64, *const u32, *const u32, *const T) -> *mut c_void;
type Compress = unsafe extern "C" fn(i64, i64, *const c_void) -> *mut c_void;
type Transpose = unsafe extern "C" fn(*const c_void) -> *mut c_void;
type Release = unsafe extern "C" fn(*mut c_void);
type Array<T> = unsafe extern "C" fn(*const c_void) -> *const T;

/// An object of the shim, deleted when dropped.
struct Object<'a> {
    pointer: *mut c_void,
    release: Symbol<'a, Release>,
}

impl Object<'_> {
    /// A method, so that a closure that uses it owns the object, and not a copy of the field.
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
        compile_both("c++", include_str!("eigen.cpp"), &["-I", &headers]).map(Eigen)
    }

    pub(super) fn contestant<'a, T: Element>(&'a self, problem: &'a Problem<T>) -> Option<Contestant<'a>> {
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
            return Some(Contestant::new("Eigen", move |clock| clock.time(&compress)));
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
        Some(Contestant::new("Eigen", move |clock| clock.time(&transpose)))
    }
}

/// The arrays of a matrix of the shim, whose kind of matrix has this name.
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
