//! Matrices of scipy in formats of unisparse, and back. No array is copied: elements are read where scipy has them, and the arrays of
//! a format become those of a scipy matrix.

use bytemuck::cast_vec;
use numpy::{Element, IntoPyArray, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;
use unisparse::prelude::*;
use unisparse::{Index, TripletsView};

sparse_format! {
    /// Diagonals as scipy has them: an element of column `j` is in place `j` of its diagonal.
    format Diagonals = |i, j| (diag: j - i, col: j) { merge(diag); trim(diag); }
    /// Blocks that only unisparse has: diagonals within blocks of 64 rows.
    format Banded = |i, j| (block: i / 64, diag: j - i, lane: i % 64) { merge(block); trim(diag); }
}

/// The arrays of a `csr` or `csc` matrix, where scipy has them.
struct Compressed<'a, I> {
    shape: [usize; 2],
    by_column: bool,
    indptr: &'a [I],
    indices: &'a [I],
    data: &'a [f64],
}

impl<I: Index> Compressed<'_, I> {
    /// Checks the arrays, which Python code may have changed.
    fn check(&self) -> Result<(), String> {
        let outer = self.shape[usize::from(self.by_column)];
        let ends = || self.indptr.iter().map(|end| end.to_i64());
        let is_whole = ends().next() == Some(0) && ends().last() == Some(self.data.len() as i64) && ends().is_sorted();
        if self.indptr.len() != outer + 1 || self.indices.len() != self.data.len() || !is_whole {
            return Err("`indptr`, `indices` and `data` do not fit each other".to_owned());
        }
        let inner = self.shape[usize::from(!self.by_column)] as u64;
        let outside = self.indices.iter().position(|index| index.to_i64() as u64 >= inner);
        outside.map_or(Ok(()), |at| Err(format!("`indices[{at}]` is outside the shape")))
    }
}

impl<I: Index> Source<2> for Compressed<'_, I> {
    type Scalar = f64;

    fn shape(&self) -> [usize; 2] {
        self.shape
    }

    fn count(&self) -> usize {
        self.data.len()
    }

    fn duplicates(&self) -> Duplicates {
        Duplicates::Sum
    }

    fn for_each(&self, mut visit: impl FnMut([usize; 2], f64)) {
        for (outer, ends) in self.indptr.windows(2).enumerate() {
            let entries = ends[0].to_i64() as usize..ends[1].to_i64() as usize;
            for (inner, &value) in self.indices[entries.clone()].iter().zip(&self.data[entries]) {
                let inner = inner.to_i64() as usize;
                visit(if self.by_column { [inner, outer] } else { [outer, inner] }, value);
            }
        }
    }
}

/// A matrix in one of the formats.
enum Stored {
    Csr(Csr<f64>),
    Csc(Csc<f64>),
    Bsr(Bcsr<f64, 2, 2>),
    Dia(Diagonals<f64>),
    Banded(Banded<f64>),
}

/// Calls a function that is generic over formats.
macro_rules! of_any {
    ($stored:expr, $a:ident => $value:expr) => {
        match $stored {
            Stored::Csr($a) => $value,
            Stored::Csc($a) => $value,
            Stored::Bsr($a) => $value,
            Stored::Dia($a) => $value,
            Stored::Banded($a) => $value,
        }
    };
}

fn value_error(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn stored(source: &impl Source<2, Scalar = f64>, format: &str) -> PyResult<Stored> {
    Ok(match format {
        "csr" => Stored::Csr(source.convert().map_err(value_error)?),
        "csc" => Stored::Csc(source.convert().map_err(value_error)?),
        "bsr" => Stored::Bsr(source.convert().map_err(value_error)?),
        "dia" => Stored::Dia(source.convert().map_err(value_error)?),
        "banded" => Stored::Banded(source.convert().map_err(value_error)?),
        _ => return Err(PyValueError::new_err(format!("no format `{format}`"))),
    })
}

/// A sparse matrix of `float64` in a format of unisparse.
#[pyclass]
struct Matrix {
    /// None after `move_to_scipy`.
    stored: Option<Stored>,
    /// The addresses of the arrays from which the elements were read.
    #[pyo3(get)]
    read_from: Vec<usize>,
}

#[pymethods]
impl Matrix {
    /// Reads a `csr`, `csc` or `coo` matrix or array of scipy, whose indices are `int32` or `int64`.
    #[new]
    fn new(a: &Bound<'_, PyAny>, format: &str) -> PyResult<Self> {
        let indices = a.getattr(if a.getattr("format")?.extract::<String>()? == "coo" {
            "row"
        } else {
            "indices"
        })?;
        if indices.extract::<PyReadonlyArray1<'_, i32>>().is_ok() {
            read::<i32>(a, format)
        } else {
            read::<i64>(a, format)
        }
    }

    /// `A x`.
    fn __matmul__<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, numpy::PyArray1<f64>>> {
        let mut y = vec![0.0; of_any!(self.stored()?, a => a.shape()[0])];
        of_any!(self.stored()?, a => spmv(&mut y, a, x.as_slice()?)).map_err(value_error)?;
        Ok(y.into_pyarray(py))
    }

    /// Writes `A x` into an array that exists.
    fn multiply(&self, x: PyReadonlyArray1<'_, f64>, mut y: PyReadwriteArray1<'_, f64>) -> PyResult<()> {
        of_any!(self.stored()?, a => spmv(y.as_slice_mut()?, a, x.as_slice()?)).map_err(value_error)
    }

    /// The address of the values.
    fn address(&self) -> PyResult<usize> {
        Ok(of_any!(self.stored()?, a => a.values().as_ptr().addr()))
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(of_any!(self.stored()?, a => a.explain().to_string()))
    }

    /// Moves the arrays into a scipy array, and leaves this matrix empty. A format that scipy does not have becomes `csr`, and blocks of
    /// two if an extent is odd.
    fn move_to_scipy<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let scipy = py.import("scipy.sparse")?;
        // What becomes `csr` first: a format that scipy does not have, and blocks that extend beyond the matrix, which scipy's do not.
        let rows = match self.stored()? {
            Stored::Bsr(a) if a.shape().iter().any(|extent| extent % 2 == 1) => Some(a.convert()),
            Stored::Banded(a) => Some(a.convert()),
            _ => None,
        };
        if let Some(rows) = rows {
            self.stored = Some(Stored::Csr(rows.map_err(value_error)?));
        }
        let stored = self.stored.take().ok_or_else(empty)?;
        let shape = of_any!(&stored, a => a.shape());
        let options = [("shape", shape)].into_py_dict(py)?;
        match stored {
            Stored::Csr(a) => {
                let (_, ptr, idx, values) = a.into_parts();
                let arrays = (values.into_pyarray(py), narrow(py, idx)?, narrow(py, ptr)?);
                scipy.getattr("csr_array")?.call((arrays,), Some(&options))
            }
            Stored::Csc(a) => {
                let (_, ptr, idx, values) = a.into_parts();
                let arrays = (values.into_pyarray(py), narrow(py, idx)?, narrow(py, ptr)?);
                scipy.getattr("csc_array")?.call((arrays,), Some(&options))
            }
            Stored::Bsr(a) => {
                let (_, ptr, idx, values) = a.into_parts();
                let blocks = values.into_pyarray(py);
                let blocks = blocks.reshape([blocks.len()? / 4, 2, 2])?;
                let arrays = (blocks, narrow(py, idx)?, narrow(py, ptr)?);
                scipy.getattr("bsr_array")?.call((arrays,), Some(&options))
            }
            Stored::Dia(a) => {
                let (_, offsets, values) = a.into_parts();
                let count = offsets.len();
                let data = values.into_pyarray(py).reshape([count, shape[1]])?;
                scipy
                    .getattr("dia_array")?
                    .call(((data, offsets.into_pyarray(py)),), Some(&options))
            }
            Stored::Banded(_) => unreachable!("it became `csr`"),
        }
    }
}

fn empty() -> PyErr {
    PyValueError::new_err("the arrays of this matrix were moved into scipy")
}

impl Matrix {
    fn stored(&self) -> PyResult<&Stored> {
        self.stored.as_ref().ok_or_else(empty)
    }
}

/// Gives `u32` indices the type of scipy; their bits stay.
fn narrow(py: Python<'_>, indices: Vec<u32>) -> PyResult<Bound<'_, numpy::PyArray1<i32>>> {
    if indices.iter().any(|&index| i32::try_from(index).is_err()) {
        return Err(value_error("an index does not fit `int32`"));
    }
    Ok(cast_vec::<u32, i32>(indices).into_pyarray(py))
}

/// Reads the elements of a scipy matrix, where they are.
fn read<I: Index + Element>(a: &Bound<'_, PyAny>, format: &str) -> PyResult<Matrix> {
    let array = |name: &str| a.getattr(name)?.extract::<PyReadonlyArray1<'_, I>>();
    let shape: (usize, usize) = a.getattr("shape")?.extract()?;
    let shape = [shape.0, shape.1];
    let data = a.getattr("data")?.extract::<PyReadonlyArray1<'_, f64>>()?;
    let data = data.as_slice()?;
    let kind: String = a.getattr("format")?.extract()?;
    let (first, second);
    let stored = match kind.as_str() {
        "coo" => {
            (first, second) = (array("row")?, array("col")?);
            let (rows, cols) = (first.as_slice()?, second.as_slice()?);
            let view = TripletsView::try_new(shape, [rows, cols], data).map_err(value_error)?;
            stored(&view, format)?
        }
        "csr" | "csc" => {
            (first, second) = (array("indptr")?, array("indices")?);
            let source = Compressed {
                shape,
                by_column: kind == "csc",
                indptr: first.as_slice()?,
                indices: second.as_slice()?,
                data,
            };
            source.check().map_err(value_error)?;
            stored(&source, format)?
        }
        _ => {
            return Err(PyTypeError::new_err(format!(
                "expected `csr`, `csc` or `coo`, found `{kind}`"
            )));
        }
    };
    Ok(Matrix {
        stored: Some(stored),
        read_from: vec![
            data.as_ptr().addr(),
            first.as_slice()?.as_ptr().addr(),
            second.as_slice()?.as_ptr().addr(),
        ],
    })
}

#[pymodule]
fn formats(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Matrix>()
}
