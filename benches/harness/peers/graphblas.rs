//! SuiteSparse:GraphBLAS, without its run-time compilation.

use std::ffi::{c_int, c_void};

use libloading::Library;

use crate::harness::computation::{Problem, Task};
use crate::harness::matrices::{Compressed, Element};
use crate::harness::measure::Contestant;

pub(super) struct GraphBlas(Library);

const NON_BLOCKING: c_int = 0;
const CSR: c_int = 0;
const MATERIALIZE: c_int = 1;
const THREADS: c_int = 7086;
/// The name in version 7.
const THREADS_OF_7: c_int = 5;
const COMPILES: c_int = 7029;
/// The function that sets options, since version 9.
const STANDARD: &str = "GrB_Global_set_INT32";
/// The function that sets options in versions 7 (Debian 12 ships 7.4) and 8, which have all other functions used here.
const OF_7: &str = "GxB_Global_Option_set_INT32";

type Object = *mut c_void;
type Release = unsafe extern "C" fn(*mut Object) -> c_int;
type Import<T> = unsafe extern "C" fn(
    *mut Object,
    Object,
    u64,
    u64,
    *const u64,
    *const u64,
    *const T,
    u64,
    u64,
    u64,
    c_int,
) -> c_int;
type Export<T> = unsafe extern "C" fn(*mut u64, *mut u64, *mut T, *mut u64, *mut u64, *mut u64, c_int, Object) -> c_int;
type ExportSize = unsafe extern "C" fn(*mut u64, *mut u64, *mut u64, c_int, Object) -> c_int;
type NewVector = unsafe extern "C" fn(*mut Object, Object, u64) -> c_int;
type Build<T> = unsafe extern "C" fn(Object, *const u64, *const T, u64, Object) -> c_int;
type Tuples<T> = unsafe extern "C" fn(*mut u64, *mut T, *mut u64, Object) -> c_int;
type BuildMatrix<T> = unsafe extern "C" fn(Object, *const u64, *const u64, *const T, u64, Object) -> c_int;
type MatrixTuples<T> = unsafe extern "C" fn(*mut u64, *mut u64, *mut T, *mut u64, Object) -> c_int;
type NewMatrix = unsafe extern "C" fn(*mut Object, Object, u64, u64) -> c_int;
/// The arguments of `mxv`, `mxm` and `eWiseAdd`: result, mask, accumulator, operator, both operands, descriptor.
type Operation = unsafe extern "C" fn(Object, Object, Object, Object, Object, Object, Object) -> c_int;
type Wait = unsafe extern "C" fn(Object, c_int) -> c_int;
type SetGlobal = unsafe extern "C" fn(Object, i32, c_int) -> c_int;
type SetGlobalOf7 = unsafe extern "C" fn(c_int, i32) -> c_int;

const NOTHING: Object = std::ptr::null_mut();

fn accepted(status: c_int) {
    assert_eq!(status, 0, "GraphBLAS refuses");
}

/// A vector or a matrix.
struct Owned {
    object: Object,
    release: Release,
}

impl Owned {
    /// A method, so that a closure captures the object and not a copy of the field.
    fn object(&self) -> Object {
        self.object
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: it is GraphBLAS's, and freed once.
        unsafe { (self.release)(&mut self.object) };
    }
}

impl GraphBlas {
    pub(super) fn open() -> Result<Self, String> {
        let path = std::env::var("UNISPARSE_GRAPHBLAS").unwrap_or_else(|_| "libgraphblas.so".to_owned());
        // SAFETY: loading runs nothing but start-up code.
        let library = unsafe { Library::new(&path) }.map_err(|error| format!("`{path}`: {error}"))?;
        let library = GraphBlas(library);
        if !library.has(OF_7) && !library.has(STANDARD) {
            return Err(format!("`{path}` is older than version 7, the oldest that is measured"));
        }
        // SAFETY: GraphBLAS.h declares it like this; it is called once, before all others.
        unsafe {
            let start = library.0.get::<unsafe extern "C" fn(c_int) -> c_int>(b"GrB_init");
            accepted(start.map_err(|error| error.to_string())?(NON_BLOCKING));
        }
        // Version 7 lacks this option, and compiles nothing at run time.
        library.set_global(COMPILES, 0);
        Ok(library)
    }

    pub(super) fn set_threads(&self, threads: usize) {
        let is_set = [THREADS, THREADS_OF_7]
            .into_iter()
            .any(|option| self.set_global(option, threads as i32));
        assert!(is_set, "GraphBLAS takes no number of threads");
    }

    fn has(&self, function: &str) -> bool {
        // SAFETY: nothing is done with it.
        unsafe { self.0.get::<Operation>(function.as_bytes()) }.is_ok()
    }

    /// Sets a global option; returns false if this version does not have it.
    fn set_global(&self, option: c_int, value: i32) -> bool {
        // SAFETY: these are their types and that of the object.
        let status = unsafe {
            if self.has(STANDARD) {
                self.function::<f64, SetGlobal>(STANDARD)(self.constant::<f64>("GrB_GLOBAL"), value, option)
            } else {
                self.function::<f64, SetGlobalOf7>(OF_7)(option, value)
            }
        };
        status == 0
    }

    fn name<T: Element>(name: &str) -> String {
        name.replace('?', if T::NAME == "f32" { "FP32" } else { "FP64" })
    }

    /// Returns the function of this name; `?` in the name stands for the type `T` of the values.
    ///
    /// # Safety
    /// `F` must be its type.
    unsafe fn function<T: Element, F: Copy>(&self, name: &str) -> F {
        // SAFETY: the caller's.
        *unsafe { self.0.get::<F>(Self::name::<T>(name).as_bytes()) }.unwrap_or_else(|error| panic!("{error}"))
    }

    /// Returns a predefined object, by a name as for `function`.
    fn constant<T: Element>(&self, name: &str) -> Object {
        // SAFETY: predefined objects are variables that hold a pointer, and never change.
        unsafe {
            **self
                .0
                .get::<*const Object>(Self::name::<T>(name).as_bytes())
                .unwrap_or_else(|error| panic!("{error}"))
        }
    }

    fn owned(&self, release: &str, make: impl FnOnce(&mut Object) -> c_int) -> Owned {
        // SAFETY: this is its type.
        let release = unsafe { self.function::<f64, Release>(release) };
        let mut object = NOTHING;
        accepted(make(&mut object));
        Owned { object, release }
    }

    fn of_rows<T: Element>(&self, shape: [usize; 2], rows: &Compressed<T>) -> Owned {
        let wide = |numbers: &[u32]| -> Vec<u64> { numbers.iter().map(|&number| u64::from(number)).collect() };
        let (ptr, idx, values) = (wide(&rows.ptr), wide(&rows.idx), &rows.values);
        let [count, cols] = shape.map(|extent| extent as u64);
        let lengths = [ptr.len(), idx.len(), values.len()].map(|len| len as u64);
        self.owned("GrB_Matrix_free", |matrix| {
            // SAFETY: this is its type; it copies the arrays, which are compressed rows.
            unsafe {
                let import: Import<T> = self.function::<T, _>("GrB_Matrix_import_?");
                let (p, i, x) = (ptr.as_ptr(), idx.as_ptr(), values.as_ptr());
                let [ps, is, xs] = lengths;
                import(
                    matrix,
                    self.constant::<T>("GrB_?"),
                    count,
                    cols,
                    p,
                    i,
                    x,
                    ps,
                    is,
                    xs,
                    CSR,
                )
            }
        })
    }

    fn rows<T: Element>(&self, matrix: &Owned) -> Compressed<T> {
        // SAFETY: these are the types of the arguments, and the arrays have the required lengths.
        unsafe {
            let size: ExportSize = self.function::<T, _>("GrB_Matrix_exportSize");
            let export: Export<T> = self.function::<T, _>("GrB_Matrix_export_?");
            let [mut ps, mut is, mut xs] = [0; 3];
            accepted(size(&mut ps, &mut is, &mut xs, CSR, matrix.object()));
            let (mut ptr, mut idx) = (vec![0; ps as usize], vec![0; is as usize]);
            let mut values = vec![T::default(); xs as usize];
            let (p, i, x) = (ptr.as_mut_ptr(), idx.as_mut_ptr(), values.as_mut_ptr());
            accepted(export(p, i, x, &mut ps, &mut is, &mut xs, CSR, matrix.object()));
            Compressed::of(ptr, idx, &values)
        }
    }

    /// Creates a vector with all elements stored.
    fn vector<T: Element>(&self, values: &[T]) -> Owned {
        let indices: Vec<u64> = (0..values.len() as u64).collect();
        let (kind, count) = (self.constant::<T>("GrB_?"), values.len() as u64);
        // SAFETY: these are their types; the arrays have `count` elements.
        unsafe {
            let new: NewVector = self.function::<T, _>("GrB_Vector_new");
            let build: Build<T> = self.function::<T, _>("GrB_Vector_build_?");
            let vector = self.owned("GrB_Vector_free", |vector| new(vector, kind, count));
            accepted(build(
                vector.object(),
                indices.as_ptr(),
                values.as_ptr(),
                count,
                NOTHING,
            ));
            self.wait("GrB_Vector_wait", &vector);
            vector
        }
    }

    /// Creates a matrix with all elements stored, from one in row-major order.
    fn full<T: Element>(&self, shape: [usize; 2], values: &[T]) -> Owned {
        let rows: Vec<u64> = (0..values.len()).map(|at| (at / shape[1]) as u64).collect();
        let cols: Vec<u64> = (0..values.len()).map(|at| (at % shape[1]) as u64).collect();
        let (kind, count) = (self.constant::<T>("GrB_?"), values.len() as u64);
        // SAFETY: these are their types; the arrays have `count` elements.
        unsafe {
            let new: NewMatrix = self.function::<T, _>("GrB_Matrix_new");
            let build: BuildMatrix<T> = self.function::<T, _>("GrB_Matrix_build_?");
            let matrix = self.owned("GrB_Matrix_free", |matrix| {
                new(matrix, kind, shape[0] as u64, shape[1] as u64)
            });
            accepted(build(
                matrix.object(),
                rows.as_ptr(),
                cols.as_ptr(),
                values.as_ptr(),
                count,
                NOTHING,
            ));
            self.wait("GrB_Matrix_wait", &matrix);
            matrix
        }
    }

    fn wait(&self, name: &str, object: &Owned) {
        // SAFETY: this is its type.
        accepted(unsafe { self.function::<f64, Wait>(name)(object.object(), MATERIALIZE) });
    }

    pub(super) fn compute<'a, T: Element>(&'a self, problem: &'a Problem<T>) -> Option<Contestant<'a>> {
        let a = self.of_rows(problem.shape, &problem.rows);
        let plus = self.constant::<T>("GrB_PLUS_?");
        let products = self.constant::<T>("GrB_PLUS_TIMES_SEMIRING_?");
        // SAFETY: this is the type of all three.
        let operation = |name: &str| unsafe { self.function::<T, Operation>(name) };
        match problem.task {
            // An accumulator adds to the dense result in place, so GraphBLAS need not allocate one.
            Task::Multiply { columns } => {
                let zeros = vec![T::default(); problem.output().len()];
                let (run, b, c) = if columns == 1 {
                    (operation("GrB_mxv"), self.vector(&problem.dense), self.vector(&zeros))
                } else {
                    let b = self.full([problem.shape[1], columns], &problem.dense);
                    (operation("GrB_mxm"), b, self.full([problem.shape[0], columns], &zeros))
                };
                let product = move || {
                    let (c, a, b) = (c.object(), a.object(), b.object());
                    // SAFETY: the three live, and fit.
                    accepted(unsafe { run(c, NOTHING, plus, products, a, b, NOTHING) });
                    c
                };
                let found = self.elements(product(), zeros.len(), columns == 1);
                problem.check_dense("GraphBLAS", &found);
                Some(Contestant::new("GraphBLAS", move |shot| shot.time(&product)))
            }
            Task::Square | Task::AddTransposed => {
                let other = problem
                    .transposed
                    .as_ref()
                    .map(|rows| self.of_rows(problem.shape, rows));
                let run = if other.is_none() {
                    operation("GrB_mxm")
                } else {
                    operation("GrB_Matrix_eWiseAdd_BinaryOp")
                };
                // SAFETY: this is its type.
                let new: NewMatrix = unsafe { self.function::<T, _>("GrB_Matrix_new") };
                let (kind, [rows, cols]) = (self.constant::<T>("GrB_?"), problem.shape.map(|extent| extent as u64));
                let operator = if other.is_none() { products } else { plus };
                let run = move || {
                    // SAFETY: all live, and fit.
                    unsafe {
                        let c = self.owned("GrB_Matrix_free", |c| new(c, kind, rows, cols));
                        let right = other.as_ref().unwrap_or(&a).object();
                        accepted(run(c.object(), NOTHING, NOTHING, operator, a.object(), right, NOTHING));
                        // A lazy sort may leave the rows of the result unsorted.
                        self.wait("GrB_Matrix_wait", &c);
                        c
                    }
                };
                problem.check_sparse("GraphBLAS", &self.rows(&run()));
                Some(Contestant::new("GraphBLAS", move |shot| shot.time(&run)))
            }
            Task::Sample { .. } => None,
        }
    }

    /// Returns the contents of a dense result, row-major.
    fn elements<T: Element>(&self, object: Object, len: usize, is_vector: bool) -> Vec<T> {
        let mut count = len as u64;
        let (mut rows, mut cols) = (vec![0u64; len], vec![0u64; len]);
        let mut values = vec![T::default(); len];
        // SAFETY: these are their types, and the arrays have room for all elements.
        unsafe {
            accepted(if is_vector {
                let tuples: Tuples<T> = self.function::<T, _>("GrB_Vector_extractTuples_?");
                tuples(rows.as_mut_ptr(), values.as_mut_ptr(), &mut count, object)
            } else {
                let tuples: MatrixTuples<T> = self.function::<T, _>("GrB_Matrix_extractTuples_?");
                tuples(
                    rows.as_mut_ptr(),
                    cols.as_mut_ptr(),
                    values.as_mut_ptr(),
                    &mut count,
                    object,
                )
            });
        }
        let mut order: Vec<usize> = (0..count as usize).collect();
        order.sort_by_key(|&at| (rows[at], cols[at]));
        order.into_iter().map(|at| values[at]).collect()
    }
}
