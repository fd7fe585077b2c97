//! Products by cuSPARSE: every algorithm for the formats that it shares with this crate, after its preprocessing.

use core::ffi::c_void;
use std::rc::Rc;
use std::sync::Arc;

use cudarc::cusparse::sys;
use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, DeviceRepr, DriverError, ValidAsZeroBits};

use super::contestant::Contestant;
use super::problem::{Problem, Real};

/// The element types of cuSPARSE.
pub(crate) trait Value: Real + DeviceRepr + ValidAsZeroBits {
    const TYPE: sys::cudaDataType;
}

impl Value for f32 {
    const TYPE: sys::cudaDataType = sys::cudaDataType::CUDA_R_32F;
}

impl Value for f64 {
    const TYPE: sys::cudaDataType = sys::cudaDataType::CUDA_R_64F;
}

const INDEX: sys::cusparseIndexType_t = sys::cusparseIndexType_t::CUSPARSE_INDEX_32I;
const BASE: sys::cusparseIndexBase_t = sys::cusparseIndexBase_t::CUSPARSE_INDEX_BASE_ZERO;
const PLAIN: sys::cusparseOperation_t = sys::cusparseOperation_t::CUSPARSE_OPERATION_NON_TRANSPOSE;
const ROWS: sys::cusparseOrder_t = sys::cusparseOrder_t::CUSPARSE_ORDER_ROW;

fn failed(error: DriverError) -> String {
    format!("{error:?}")
}

fn check(status: sys::cusparseStatus_t) -> Result<(), String> {
    match status {
        sys::cusparseStatus_t::CUSPARSE_STATUS_SUCCESS => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

/// The library, on the first device.
pub(crate) struct Library {
    stream: Arc<CudaStream>,
    handle: sys::cusparseHandle_t,
    pub(crate) version: i32,
}

impl Library {
    /// Opens the library. There is a driver and a device.
    pub(crate) fn open() -> Result<Rc<Self>, String> {
        // SAFETY: it loads the library, whose initialisation does nothing that the caller relies on.
        if !unsafe { sys::is_culib_present() } {
            return Err("libcusparse.so is not in LD_LIBRARY_PATH".to_owned());
        }
        let context = CudaContext::new(0).map_err(failed)?;
        let stream = context.new_stream().map_err(failed)?;
        let (mut handle, mut version) = (core::ptr::null_mut(), 0);
        // SAFETY: the handle is written before it is used, and the stream lives as long as the library.
        unsafe {
            check(sys::cusparseCreate(&mut handle))?;
            check(sys::cusparseSetStream(handle, stream.cu_stream().cast()))?;
            check(sys::cusparseGetVersion(handle, &mut version))?;
        }
        Ok(Rc::new(Library {
            stream,
            handle,
            version,
        }))
    }

    fn upload<T: DeviceRepr>(&self, host: &[T]) -> Result<CudaSlice<T>, String> {
        self.stream.clone_htod(host).map_err(failed)
    }

    fn address<T>(&self, array: &CudaSlice<T>) -> *mut c_void {
        array.device_ptr(&self.stream).0 as usize as *mut c_void
    }

    /// Returns the bytes that a copy inside of the device reads and writes in a second.
    pub(crate) fn copy_bandwidth(&self) -> Result<f64, String> {
        const BYTES: usize = 1 << 28;
        const REPEATS: usize = 20;
        let from = self.stream.alloc_zeros::<u8>(BYTES).map_err(failed)?;
        let mut into = self.stream.alloc_zeros::<u8>(BYTES).map_err(failed)?;
        let milliseconds = self.timed(REPEATS, || self.stream.memcpy_dtod(&from, &mut into).map_err(failed))?;
        Ok(2.0 * (BYTES * REPEATS) as f64 / (milliseconds / 1e3))
    }

    /// Returns the milliseconds that the device takes for all repetitions of what is enqueued.
    fn timed(&self, repeats: usize, mut enqueue: impl FnMut() -> Result<(), String>) -> Result<f64, String> {
        // Events have no times by default.
        let event = || {
            self.stream
                .record_event(Some(CUevent_flags::CU_EVENT_DEFAULT))
                .map_err(failed)
        };
        let start = event()?;
        (0..repeats).try_for_each(|_| enqueue())?;
        let end = event()?;
        start.elapsed_ms(&end).map(f64::from).map_err(failed)
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: the handle was created once, and no descriptor outlives the library.
        let _ = unsafe { sys::cusparseDestroy(self.handle) };
    }
}

/// A matrix of the library, with the arrays that it refers to.
struct Matrix<T> {
    library: Rc<Library>,
    descriptor: sys::cusparseSpMatDescr_t,
    bytes: usize,
    _integers: Vec<CudaSlice<i32>>,
    _values: CudaSlice<T>,
}

impl<T> Drop for Matrix<T> {
    fn drop(&mut self) {
        // SAFETY: the descriptor was created once.
        let _ = unsafe { sys::cusparseDestroySpMat(self.descriptor) };
    }
}

/// The arrays of a matrix, as the library names its formats.
enum Arrays {
    Csr,
    Coo,
    /// Slices of this many rows.
    Sliced(usize),
    /// Blocks of this many rows and columns.
    BlockedEll(usize),
}

fn integers(numbers: impl Iterator<Item = usize>) -> Vec<i32> {
    numbers.map(|number| number as i32).collect()
}

impl<T: Value> Matrix<T> {
    fn new(library: &Rc<Library>, problem: &Problem<T>, arrays: &Arrays) -> Result<Self, String> {
        let (csr, [rows, cols]) = (&problem.csr, problem.csr.shape());
        let [r, c, nnz] = [rows, cols, csr.nnz()].map(|number| number as i64);
        let ptr = integers(csr.row_ptr().iter().map(|&at| at as usize));
        let idx = integers(csr.col_idx().iter().map(|&at| at as usize));
        let (ints, values): (Vec<Vec<i32>>, Vec<T>) = match *arrays {
            Arrays::Csr => (vec![ptr, idx], csr.values().to_vec()),
            Arrays::Coo => {
                let row_of = (0..rows).flat_map(|row| (ptr[row]..ptr[row + 1]).map(move |_| row));
                (vec![integers(row_of), idx], csr.values().to_vec())
            }
            Arrays::Sliced(size) => sliced(&ptr, &idx, csr.values(), size),
            Arrays::BlockedEll(size) => blocked(&ptr, &idx, csr.values(), [rows, cols], size)?,
        };
        let held: Vec<CudaSlice<i32>> = ints.iter().map(|ints| library.upload(ints)).collect::<Result<_, _>>()?;
        let of_values = library.upload(&values)?;
        let at: Vec<*mut c_void> = held.iter().map(|array| library.address(array)).collect();
        let (of, mut descriptor, kind) = (library.address(&of_values), core::ptr::null_mut(), T::TYPE);
        let stored = values.len() as i64;
        // SAFETY: the arrays have the lengths that the formats require, and live as long as the descriptor.
        let status = unsafe {
            match *arrays {
                Arrays::Csr => {
                    sys::cusparseCreateCsr(&mut descriptor, r, c, nnz, at[0], at[1], of, INDEX, INDEX, BASE, kind)
                }
                Arrays::Coo => sys::cusparseCreateCoo(&mut descriptor, r, c, nnz, at[0], at[1], of, INDEX, BASE, kind),
                Arrays::Sliced(size) => sys::cusparseCreateSlicedEll(
                    &mut descriptor,
                    r,
                    c,
                    nnz,
                    stored,
                    size as i64,
                    at[0],
                    at[1],
                    of,
                    INDEX,
                    INDEX,
                    BASE,
                    kind,
                ),
                Arrays::BlockedEll(size) => sys::cusparseCreateBlockedEll(
                    &mut descriptor,
                    r,
                    c,
                    size as i64,
                    stored / r.max(1),
                    at[0],
                    of,
                    INDEX,
                    BASE,
                    kind,
                ),
            }
        };
        check(status)?;
        let bytes = ints.iter().map(|ints| size_of_val(&ints[..])).sum::<usize>() + size_of_val(&values[..]);
        Ok(Matrix {
            library: Rc::clone(library),
            descriptor,
            bytes,
            _integers: held,
            _values: of_values,
        })
    }
}

/// Returns the arrays of a matrix in slices of rows, each of the width of its longest row, column by column.
fn sliced<T: Value>(ptr: &[i32], idx: &[i32], values: &[T], size: usize) -> (Vec<Vec<i32>>, Vec<T>) {
    let rows = ptr.len() - 1;
    let (mut offsets, mut cols, mut padded) = (vec![0], Vec::new(), Vec::new());
    for first in (0..rows).step_by(size) {
        let of_row = |row: usize| match row < rows {
            true => ptr[row] as usize..ptr[row + 1] as usize,
            false => 0..0,
        };
        let width = (first..first + size).map(|row| of_row(row).len()).max().unwrap_or(0);
        for at in 0..width {
            for row in first..first + size {
                let place = of_row(row).nth(at);
                cols.push(place.map_or(-1, |place| idx[place]));
                padded.push(place.map_or_else(T::default, |place| values[place]));
            }
        }
        offsets.push(cols.len() as i32);
    }
    (vec![offsets, cols], padded)
}

/// Returns the arrays of a matrix in blocks, as many in each row of blocks as the longest has. The values are a dense matrix
/// in row-major order, of as many columns as these blocks have.
fn blocked<T: Value>(
    ptr: &[i32],
    idx: &[i32],
    values: &[T],
    [rows, cols]: [usize; 2],
    size: usize,
) -> Result<(Vec<Vec<i32>>, Vec<T>), String> {
    if rows % size != 0 || cols % size != 0 {
        return Err(format!("the extents are no multiples of {size}"));
    }
    let blocks_of = |block: usize| {
        let entries = ptr[block * size] as usize..ptr[(block + 1) * size] as usize;
        let mut blocks: Vec<i32> = idx[entries].iter().map(|&col| col / size as i32).collect();
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    };
    let blocks: Vec<Vec<i32>> = (0..rows / size).map(blocks_of).collect();
    let width = blocks.iter().map(Vec::len).max().unwrap_or(0);
    if rows * width * size > 1 << 29 {
        return Err(format!("{width} blocks in a row are too many"));
    }
    let mut padded = vec![T::default(); rows * width * size];
    for row in 0..rows {
        let of_row = &blocks[row / size];
        for at in ptr[row] as usize..ptr[row + 1] as usize {
            let col = idx[at] as usize;
            let block = of_row
                .binary_search(&((col / size) as i32))
                .expect("the block of an element");
            padded[(row * width + block) * size + col % size] = values[at];
        }
    }
    let listed = blocks
        .iter()
        .flat_map(|blocks| (0..width).map(|at| blocks.get(at).copied().unwrap_or(-1)));
    Ok((vec![listed.collect()], padded))
}

/// A dense operand of the library: a vector, or a matrix in row-major order.
#[derive(Clone, Copy)]
enum Dense {
    Vector(sys::cusparseDnVecDescr_t),
    Matrix(sys::cusparseDnMatDescr_t),
}

impl Dense {
    fn new<T: Value>([rows, columns]: [usize; 2], at: *mut c_void) -> Result<Self, String> {
        let [r, c] = [rows, columns].map(|number| number as i64);
        // SAFETY: the array has as many elements, and lives as long as the descriptor, which is never destroyed: there are few.
        unsafe {
            if columns == 1 {
                let mut vector = core::ptr::null_mut();
                check(sys::cusparseCreateDnVec(&mut vector, r, at, T::TYPE))?;
                return Ok(Dense::Vector(vector));
            }
            let mut matrix = core::ptr::null_mut();
            check(sys::cusparseCreateDnMat(&mut matrix, r, c, c, at, T::TYPE, ROWS))?;
            Ok(Dense::Matrix(matrix))
        }
    }
}

/// An algorithm for vectors or for matrices.
#[derive(Clone, Copy)]
enum Algorithm {
    Vector(sys::cusparseSpMVAlg_t),
    Matrix(sys::cusparseSpMMAlg_t),
}

/// A step of a product.
#[derive(Clone, Copy)]
enum Step {
    Size,
    Preprocess,
    Compute,
}

/// A product of a matrix, with all that it needs.
struct Product<T> {
    matrix: Matrix<T>,
    algorithm: Algorithm,
    x: (Dense, CudaSlice<T>),
    y: (Dense, CudaSlice<T>),
    buffer: Option<CudaSlice<u8>>,
}

impl<T: Value> Product<T> {
    fn new(matrix: Matrix<T>, problem: &Problem<T>, algorithm: Algorithm) -> Result<Self, String> {
        let library = Rc::clone(&matrix.library);
        let (columns, [rows, cols]) = (problem.columns, problem.csr.shape());
        let x = library.upload(&problem.x)?;
        let y = library.stream.alloc_zeros::<T>(rows * columns).map_err(failed)?;
        let of_x = Dense::new::<T>([cols, columns], library.address(&x))?;
        let of_y = Dense::new::<T>([rows, columns], library.address(&y))?;
        let mut product = Product {
            matrix,
            algorithm,
            x: (of_x, x),
            y: (of_y, y),
            buffer: None,
        };
        let bytes = product.step(Step::Size)?;
        product.buffer = Some(library.stream.alloc_zeros::<u8>(bytes.max(1)).map_err(failed)?);
        product.step(Step::Preprocess)?;
        Ok(product)
    }

    /// Executes a step. Returns the bytes of the buffer, of the first one.
    fn step(&self, step: Step) -> Result<usize, String> {
        let (library, matrix, kind) = (&self.matrix.library, self.matrix.descriptor, T::TYPE);
        let (one, zero) = (T::rounded(1.0), T::rounded(0.0));
        let [one, zero] = [&one, &zero].map(|number| core::ptr::from_ref(number).cast::<c_void>());
        let buffer = self
            .buffer
            .as_ref()
            .map_or(core::ptr::null_mut(), |buffer| library.address(buffer));
        let (handle, mut bytes) = (library.handle, 0);
        // SAFETY: the descriptors are of this library, and the buffer has as many bytes as the first step says.
        let status = unsafe {
            match (self.algorithm, self.x.0, self.y.0) {
                (Algorithm::Vector(by), Dense::Vector(x), Dense::Vector(y)) => match step {
                    Step::Size => {
                        sys::cusparseSpMV_bufferSize(handle, PLAIN, one, matrix, x, zero, y, kind, by, &mut bytes)
                    }
                    Step::Preprocess => {
                        sys::cusparseSpMV_preprocess(handle, PLAIN, one, matrix, x, zero, y, kind, by, buffer)
                    }
                    Step::Compute => sys::cusparseSpMV(handle, PLAIN, one, matrix, x, zero, y, kind, by, buffer),
                },
                (Algorithm::Matrix(by), Dense::Matrix(x), Dense::Matrix(y)) => match step {
                    Step::Size => sys::cusparseSpMM_bufferSize(
                        handle, PLAIN, PLAIN, one, matrix, x, zero, y, kind, by, &mut bytes,
                    ),
                    Step::Preprocess => {
                        sys::cusparseSpMM_preprocess(handle, PLAIN, PLAIN, one, matrix, x, zero, y, kind, by, buffer)
                    }
                    Step::Compute => sys::cusparseSpMM(handle, PLAIN, PLAIN, one, matrix, x, zero, y, kind, by, buffer),
                },
                _ => return Err("an algorithm for other operands".to_owned()),
            }
        };
        check(status).map(|()| bytes)
    }
}

/// Returns the products of a problem by every algorithm, or why there is none.
pub(crate) fn products<'a, T: Value>(
    library: &Rc<Library>,
    problem: &Problem<T>,
) -> Vec<Result<Contestant<'a>, String>> {
    use sys::{cusparseSpMMAlg_t as Mm, cusparseSpMVAlg_t as Mv};
    let all: Vec<(&str, Arrays, Algorithm)> = if problem.columns == 1 {
        vec![
            (
                "CSR default",
                Arrays::Csr,
                Algorithm::Vector(Mv::CUSPARSE_SPMV_ALG_DEFAULT),
            ),
            ("CSR alg1", Arrays::Csr, Algorithm::Vector(Mv::CUSPARSE_SPMV_CSR_ALG1)),
            ("CSR alg2", Arrays::Csr, Algorithm::Vector(Mv::CUSPARSE_SPMV_CSR_ALG2)),
            ("COO alg1", Arrays::Coo, Algorithm::Vector(Mv::CUSPARSE_SPMV_COO_ALG1)),
            ("COO alg2", Arrays::Coo, Algorithm::Vector(Mv::CUSPARSE_SPMV_COO_ALG2)),
            (
                "SELL 32",
                Arrays::Sliced(32),
                Algorithm::Vector(Mv::CUSPARSE_SPMV_SELL_ALG1),
            ),
        ]
    } else {
        vec![
            (
                "CSR default",
                Arrays::Csr,
                Algorithm::Matrix(Mm::CUSPARSE_SPMM_ALG_DEFAULT),
            ),
            ("CSR alg1", Arrays::Csr, Algorithm::Matrix(Mm::CUSPARSE_SPMM_CSR_ALG1)),
            ("CSR alg2", Arrays::Csr, Algorithm::Matrix(Mm::CUSPARSE_SPMM_CSR_ALG2)),
            ("CSR alg3", Arrays::Csr, Algorithm::Matrix(Mm::CUSPARSE_SPMM_CSR_ALG3)),
            ("COO alg4", Arrays::Coo, Algorithm::Matrix(Mm::CUSPARSE_SPMM_COO_ALG4)),
            (
                "Blocked-ELL 16",
                Arrays::BlockedEll(16),
                Algorithm::Matrix(Mm::CUSPARSE_SPMM_BLOCKED_ELL_ALG1),
            ),
        ]
    };
    let contestant = |(name, arrays, algorithm): (&str, Arrays, Algorithm)| {
        let name = format!("cuSPARSE {name}");
        let prepared = Matrix::new(library, problem, &arrays).and_then(|matrix| {
            let bytes = matrix.bytes + problem.bytes_of_vectors();
            Ok((bytes, Rc::new(Product::new(matrix, problem, algorithm)?)))
        });
        let (bytes, product) = prepared.map_err(|error| format!("{name}: {error}"))?;
        let of_result = Rc::clone(&product);
        Ok(Contestant {
            name,
            bytes,
            run: Box::new(move |repeats| {
                let library = &product.matrix.library;
                library.timed(repeats, || product.step(Step::Compute).map(|_| ()))
            }),
            result: Box::new(move || {
                let y = of_result
                    .matrix
                    .library
                    .stream
                    .clone_dtoh(&of_result.y.1)
                    .map_err(failed)?;
                Ok(y.into_iter().map(Into::into).collect())
            }),
        })
    };
    all.into_iter().map(contestant).collect()
}
