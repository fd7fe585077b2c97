//! Every pair on real matrices.

use unisparse::prelude::*;

use crate::common::data::shared;
use crate::formats::FORMATS;
use crate::judge::{Matrix, sorted};

/// `y` is the result of other libraries for the same triplets.
fn as_others_do(file: &str, triplets: &Triplets<f32, 2>) {
    let [rows, cols] = triplets.shape();
    let mut builder = sprs::TriMat::new((rows, cols));
    let mut other = nalgebra_sparse::CooMatrix::new(rows, cols);
    for ([i, j], value) in triplets.iter() {
        builder.add_triplet(i, j, value);
        other.push(i, j, value);
    }
    let equal = |own: &[u32], theirs: &[usize]| own.iter().map(|&entry| entry as usize).eq(theirs.iter().copied());
    let (csr, by_sprs): (Csr<f32>, sprs::CsMat<f32>) = (triplets.convert().unwrap(), builder.to_csr());
    assert!(equal(csr.row_ptr(), by_sprs.indptr().as_slice().unwrap()), "{file}");
    assert!(equal(csr.col_idx(), by_sprs.indices()), "{file}");
    assert_eq!(csr.values(), by_sprs.data(), "{file}");
    let (csc, by_nalgebra): (Csc<f32>, _) = (triplets.convert().unwrap(), nalgebra_sparse::CscMatrix::from(&other));
    assert!(equal(csc.col_ptr(), by_nalgebra.col_offsets()), "{file}");
    assert!(equal(csc.row_idx(), by_nalgebra.row_indices()), "{file}");
    assert_eq!(csc.values(), by_nalgebra.values(), "{file}");
}

/// Returns the numbers of explicit zeros, empty rows and empty columns.
fn traits(triplets: &Triplets<f32, 2>) -> [usize; 3] {
    let [mut rows, mut cols] = triplets.shape().map(|extent| vec![true; extent]);
    for &[i, j] in triplets.coordinates() {
        (rows[i], cols[j]) = (false, false);
    }
    let empty = |lines: Vec<bool>| lines.into_iter().filter(|&empty| empty).count();
    let zeros = triplets.values().iter().filter(|&&value| value == 0.0).count();
    [zeros, empty(rows), empty(cols)]
}

fn every_pair(file: &str, expected: [usize; 3]) {
    let Some(path) = shared(&format!("data/{file}.mtx.gz")) else {
        return;
    };
    let triplets: Triplets<f32, 2> = unisparse::io::read_matrix_market(path).unwrap();
    assert_eq!(sorted(&triplets).len(), triplets.len());
    assert_eq!(
        traits(&triplets),
        expected,
        "{file}: explicit zeros, empty rows, empty columns"
    );
    as_others_do(file, &triplets);
    let affordable = if cfg!(debug_assertions) { 8 << 20 } else { 64 << 20 };
    let start = std::time::Instant::now();
    let pairs = Matrix::new(file.to_owned(), &triplets, affordable).every_pair();
    eprintln!(
        "{file}, {:?}, {} elements: {pairs:?}, {:.1?}",
        triplets.shape(),
        triplets.len(),
        start.elapsed()
    );
    // Nine formats of thirty may be refused, as sources and as targets.
    let made = FORMATS - 9;
    let enough = pairs.made * FORMATS * FORMATS >= crate::formats::pairs() * made * made;
    assert!(enough && pairs.unmade <= 9, "{file}: {pairs:?}");
}

macro_rules! real {
    ($($test:ident: $file:literal, $traits:expr;)*) => { real!(#[cfg(test)] $($test: $file, $traits;)*); };
    (#$attribute:tt $($test:ident: $file:literal, $traits:expr;)*) => {$(
        #[test]
        #$attribute
        fn $test() {
            every_pair($file, $traits);
        }
    )*};
}

// The numbers are explicit zeros, empty rows and empty columns.
real! {
    ash219: "rect/ash219", [0, 0, 0];
    abb313: "rect/abb313", [0, 0, 0];
    lp_blend: "rect/lp_blend", [0, 0, 0];
    lp_scsd1: "rect/lp_scsd1", [0, 0, 0];
    bwm2000: "paper/bwm2000", [0, 0, 0];
    olm1000: "structured/olm1000", [0, 0, 0];
    rajat19: "circuit/rajat19", [1700, 0, 0];
    epa: "graph/EPA", [0, 3349, 1146];
}

real! {
    #[cfg_attr(debug_assertions, ignore = "minutes without --release")]
    bcsstk13: "structured/bcsstk13", [0, 0, 0];
    cylinder: "structured/2dcyl1", [2166, 0, 0];
    cryg10000: "paper/cryg10000", [0, 0, 0];
    hang_glider_3: "structured/hangGlider_3", [0, 0, 0];
    gemat12: "circuit/gemat12", [67, 0, 0];
    lsc_b_2: "rect/lsc_B_2", [0, 0, 450];
    franz6: "rect/Franz6_id1959_aug", [0, 0, 0];
    as20000102: "graph/as20000102", [0, 58631, 58631];
    cari: "paper/cari", [0, 0, 0];
    ogbl_ddi: "paper/ogbl-ddi", [0, 160, 143];
    p2p_gnutella31: "paper/p2p-Gnutella31", [0, 46199, 303];
    transformer: "paper/transformer-0.98-symbol_modality", [0, 0, 0];
    wiki_vote: "paper/wiki-Vote", [0, 2187, 5916];
}
