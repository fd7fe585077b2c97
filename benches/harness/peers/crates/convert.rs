//! Conversions of sprs, nalgebra-sparse and faer.

use faer::sparse::{SparseRowMat, Triplet};
use nalgebra_sparse::{CooMatrix, CscMatrix, CsrMatrix};
use sprs::{CsMatI, TriMatI};

use super::wide;
use crate::harness::conversion::{Problem, Task};
use crate::harness::matrices::{Compressed, Element};
use crate::harness::measure::Contestant;

pub(in super::super) fn contestants<T: Element>(problem: &Problem<T>) -> Vec<Contestant<'_>> {
    match problem.task {
        Task::Compress(_) => compress(problem),
        Task::Transpose => transpose(problem),
        _ => Vec::new(),
    }
}

fn compress<T: Element>(problem: &Problem<T>) -> Vec<Contestant<'_>> {
    let entries = &problem.entries;
    let [rows, cols] = entries.shape;

    let (i, j, values) = (entries.rows.clone(), entries.cols.clone(), entries.values.clone());
    let source: TriMatI<T, u32> = TriMatI::from_triplets((rows, cols), i, j, values);
    let sprs = move || source.to_csr::<u32>();
    let result = sprs();
    let ptr = result.indptr();
    let found = Compressed::of(
        ptr.raw_storage().iter().copied(),
        result.indices().iter().copied(),
        result.data(),
    );
    problem.check("sprs", &found);

    let (i, j, values) = (wide(&entries.rows), wide(&entries.cols), entries.values.clone());
    let source = CooMatrix::try_from_triplets(rows, cols, i, j, values).expect("inside the shape");
    let nalgebra = move || CsrMatrix::from(&source);
    let result = nalgebra();
    let (ptr, idx, values) = result.csr_data();
    let found = Compressed::of(ptr.iter().copied(), idx.iter().copied(), values);
    problem.check("nalgebra-sparse", &found);

    let places = entries.rows.iter().zip(&entries.cols).zip(&entries.values);
    let source: Vec<_> = places.map(|((&row, &col), &val)| Triplet { row, col, val }).collect();
    let faer = move || SparseRowMat::<u32, T>::try_new_from_triplets(rows, cols, &source).expect("inside the shape");
    let result = faer();
    let (ptr, idx) = (result.symbolic().row_ptr(), result.symbolic().col_idx());
    let found = Compressed::of(ptr.iter().copied(), idx.iter().copied(), result.val());
    problem.check("faer", &found);

    vec![
        Contestant::new("sprs", move |shot| shot.time(&sprs)),
        Contestant::new("nalgebra", move |shot| shot.time(&nalgebra)),
        Contestant::new("faer", move |shot| shot.time(&faer)),
    ]
}

fn transpose<T: Element>(problem: &Problem<T>) -> Vec<Contestant<'_>> {
    let [rows, cols] = problem.entries.shape;
    let Compressed { ptr, idx, values } = problem.rows.clone();

    let source: CsMatI<T, u32> = CsMatI::new((rows, cols), ptr.clone(), idx.clone(), values.clone());
    let sprs = move || source.to_csc();
    let result = sprs();
    let ptrs = result.indptr();
    let found = Compressed::of(
        ptrs.raw_storage().iter().copied(),
        result.indices().iter().copied(),
        result.data(),
    );
    problem.check("sprs", &found);

    let source = CsrMatrix::try_from_csr_data(rows, cols, wide(&ptr), wide(&idx), values.clone());
    let source = source.expect("compressed rows");
    let nalgebra = move || CscMatrix::from(&source);
    let result = nalgebra();
    let (ptrs, indices, data) = result.csc_data();
    let found = Compressed::of(ptrs.iter().copied(), indices.iter().copied(), data);
    problem.check("nalgebra-sparse", &found);

    let symbolic = faer::sparse::SymbolicSparseRowMat::new_checked(rows, cols, ptr, None, idx);
    let source = SparseRowMat::<u32, T>::new(symbolic, values);
    let faer = move || source.to_col_major().expect("there is memory");
    let result = faer();
    let (ptrs, indices) = (result.symbolic().col_ptr(), result.symbolic().row_idx());
    let found = Compressed::of(ptrs.iter().copied(), indices.iter().copied(), result.val());
    problem.check("faer", &found);

    vec![
        Contestant::new("sprs", move |shot| shot.time(&sprs)),
        Contestant::new("nalgebra", move |shot| shot.time(&nalgebra)),
        Contestant::new("faer", move |shot| shot.time(&faer)),
    ]
}
