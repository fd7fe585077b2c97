//! Every pair of stock formats: converting gives the storage that assembling from triplets gives.

mod common;

use common::data::shared;
use common::random::tensors;
use unisparse::formats::{BdiaCsr, Bell, BellCoo, C2sr, Cisr, CisrPlus, Dok, Ell, Jds, Lil, Sell, Serpens};
use unisparse::prelude::*;
use unisparse::{ErrorKind, Triplets};

/// A tensor that can be compared array by array. `==` would compare elements only.
trait Stored: SparseTensor<2, Scalar = f32> {
    fn same_storage(&self, other: &Self) -> bool;
}

/// A source behind a pointer: each format is visited and assembled by its own code, and the pairs need none of their own.
trait Visited {
    fn shape(&self) -> [usize; 2];
    fn count(&self) -> usize;
    fn visit(&self, visit: &mut dyn FnMut([usize; 2], f32));
}

impl<S: Source<2, Scalar = f32>> Visited for S {
    fn shape(&self) -> [usize; 2] {
        Source::shape(self)
    }
    fn count(&self) -> usize {
        Source::count(self)
    }
    fn visit(&self, visit: &mut dyn FnMut([usize; 2], f32)) {
        self.for_each(visit);
    }
}

struct Any<'a>(&'a dyn Visited);

impl Source<2> for Any<'_> {
    type Scalar = f32;
    fn shape(&self) -> [usize; 2] {
        self.0.shape()
    }
    fn count(&self) -> usize {
        self.0.count()
    }
    fn for_each(&self, mut visit: impl FnMut([usize; 2], f32)) {
        self.0.visit(&mut visit);
    }
}

macro_rules! sources {
    ($($field:ident: $format:ty,)*) => {
        $(
            impl Stored for $format {
                fn same_storage(&self, other: &Self) -> bool {
                    // The arrays, not the elements; those of parts one by one.
                    self.bytes() == other.bytes() && self.clone().into_parts() == other.clone().into_parts()
                }
            }
        )*

        /// One matrix in every stock format that does not take too much.
        struct Sources {
            $($field: Option<$format>,)*
        }

        impl Sources {
            fn new(triplets: &Triplets<f32, 2>, most: u128) -> Self {
                Sources { $($field: assemble(stringify!($format), triplets, most),)* }
            }

            /// How many sources give the storage of `expected`.
            fn convert_to<F: Stored>(&self, name: &str, expected: &F) -> usize {
                let mut count = 0;
                $(
                    if let Some(source) = &self.$field {
                        let made = F::assemble(&Any(source), Limit::none()).unwrap();
                        assert!(made.same_storage(expected), "{} to {name} of {:?}", stringify!($format), expected.shape());
                        count += 1;
                    }
                )*
                count
            }

            fn all_pairs(&self) -> usize {
                let mut count = 0;
                $(
                    if let Some(target) = &self.$field {
                        count += self.convert_to(stringify!($format), target);
                    }
                )*
                count
            }
        }
    };
}

sources! {
    coo: Coo<f32>,
    csr: Csr<f32>,
    csc: Csc<f32>,
    dcsr: Dcsr<f32>,
    dcsc: Dcsc<f32>,
    dia: Dia<f32>,
    dia_variant: DiaVariant<f32>,
    bcsr: Bcsr<f32>,
    bcsr_3_4: Bcsr<f32, 3, 4>,
    bcsc: Bcsc<f32>,
    bcsc_5_1: Bcsc<f32, 5, 1>,
    csb: Csb<f32>,
    csb_7: Csb<f32, 7>,
    bdia: Bdia<f32>,
    bdia_3: Bdia<f32, 3>,
    hicoo: HiCoo<f32>,
    hicoo_6: HiCoo<f32, 6>,
    dok: Dok<f32>,
    lil: Lil<f32>,
    ell: Ell<f32>,
    sell: Sell<f32>,
    sell_2_5: Sell<f32, 2, 5>,
    jds: Jds<f32>,
    bell_3: Bell<f32, 3>,
    c2sr_4: C2sr<f32, 4>,
    cisr_3: Cisr<f32, 3>,
    cisr_plus_3: CisrPlus<f32, 3>,
    serpens: Serpens<f32, 4, 64, 3>,
    bdia_csr: BdiaCsr<f32, 8>,
    bell_coo: BellCoo<f32, 4>,
}

/// How many formats there are.
const FORMATS: usize = 30;

/// The tensor, under the default limit, or else under one of `most` bytes. A refusal says how many bytes.
fn assemble<F: Stored>(name: &str, triplets: &Triplets<f32, 2>, most: u128) -> Option<F> {
    let mut refused = match triplets.convert() {
        Ok(tensor) => return Some(tensor),
        Err(error) => error,
    };
    let allowed = Limit::default().allowed(triplets.len(), 4, &triplets.shape());
    for limit in [allowed, most] {
        assert_eq!(refused.kind(), ErrorKind::Limit, "{name}: {refused}");
        assert!(refused.subject().contains(F::NAME), "{refused}");
        let bytes = refused
            .found()
            .split(' ')
            .find_map(|word| word.parse::<u128>().ok())
            .expect("the bytes");
        assert!(
            refused.to_string().contains(&bytes.to_string()) && bytes > limit,
            "{refused}"
        );
        if limit == most || bytes > most {
            break;
        }
        match triplets.convert_within(Limit::bytes(most)) {
            Ok(tensor) => return Some(tensor),
            Err(error) => refused = error,
        }
    }
    eprintln!("REFUSED: {refused}");
    None
}

#[test]
fn every_pair_of_small_matrices() {
    let (mut pairs, mut matrices) = (0, 0);
    for (seed, shape) in [
        [5, 4],
        [1, 1],
        [1, 9],
        [9, 1],
        [0, 3],
        [3, 0],
        [0, 0],
        [20, 20],
        [70, 9],
        [9, 70],
        [130, 129],
    ]
    .into_iter()
    .enumerate()
    {
        for triplets in tensors(shape, seed as u64 + 1) {
            let sources = Sources::new(&triplets.map(|value| value as f32), 1 << 26);
            pairs += sources.all_pairs();
            matrices += 1;
        }
    }
    assert_eq!(pairs, FORMATS * FORMATS * matrices);
}

#[test]
fn a_conversion_that_is_too_large_is_refused_and_one_that_is_allowed_is_made() {
    // 2000 elements on 3998 diagonals of 4000 rows: 64 MB.
    let scattered = (0..2000)
        .map(|at| ([at * 2, 3999 - at * 2], 1.0f32))
        .chain([([0, 3999], 1.0)]);
    let triplets = Triplets::try_from_triplets([4000, 4000], scattered).unwrap();
    let coo: Coo<f32> = triplets.convert().unwrap();
    let error = coo.convert::<Dia<f32>>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert!(error.to_string().contains("32008000"), "{error}");
    let dia: Dia<f32> = coo.convert_within(Limit::bytes(40_000_000)).unwrap();
    assert_eq!(
        (dia.nnz(), dia.stored(), dia.bytes()),
        (2000, 2000 * 4000, 2000 * 4 + 2000 * 4000 * 4)
    );
    assert!(dia.convert_within::<Coo<f32>>(Limit::bytes(1000)).is_err());
    assert!(dia.convert::<Coo<f32>>().unwrap() == coo);
}

/// Every pair on a real matrix; explicit zeros are left out first, since formats with holes drop them.
fn every_pair(file: &str, large: bool) {
    let Some(path) = shared(&format!("data/paper/{file}")) else {
        return;
    };
    if large && cfg!(debug_assertions) {
        eprintln!("SKIPPED: {file} takes long without --release");
        return;
    }
    let all = unisparse::io::read_matrix_market::<f32>(path).unwrap();
    let triplets = Triplets::try_from_triplets(all.shape(), all.iter().filter(|element| element.1 != 0.0)).unwrap();
    let csr: Csr<f32> = triplets.convert().unwrap();
    let coo: Coo<f32> = triplets.convert().unwrap();

    let mut builder = sprs::TriMat::new((triplets.shape()[0], triplets.shape()[1]));
    let mut other = nalgebra_sparse::CooMatrix::new(triplets.shape()[0], triplets.shape()[1]);
    for ([i, j], value) in triplets.iter() {
        builder.add_triplet(i, j, value);
        other.push(i, j, value);
    }
    let by_sprs: sprs::CsMat<f32> = builder.to_csr();
    let equal = |own: &[u32], theirs: &[usize]| own.iter().map(|&entry| entry as usize).eq(theirs.iter().copied());
    assert!(
        equal(csr.row_ptr(), by_sprs.indptr().as_slice().unwrap()) && equal(csr.col_idx(), by_sprs.indices()),
        "{file}"
    );
    assert_eq!(csr.values(), by_sprs.data(), "{file}");
    let csc: Csc<f32> = triplets.convert().unwrap();
    let by_nalgebra = nalgebra_sparse::CscMatrix::from(&other);
    assert!(
        equal(csc.col_ptr(), by_nalgebra.col_offsets()) && equal(csc.row_idx(), by_nalgebra.row_indices()),
        "{file}"
    );
    assert_eq!(csc.values(), by_nalgebra.values(), "{file}");
    assert_eq!(coo.values(), by_sprs.data(), "{file}");

    let pairs = Sources::new(&triplets, 2 << 30).all_pairs();
    assert!(pairs >= (FORMATS - 9) * (FORMATS - 9), "{file}: {pairs}");
    eprintln!(
        "{file}: {pairs} pairs, {} explicit zeros left out",
        all.len() - triplets.len()
    );
}

macro_rules! real {
    ($($test:ident: $file:literal, $large:literal;)*) => {$(
        #[test]
        fn $test() {
            every_pair($file, $large);
        }
    )*};
}

real! {
    bwm2000: "bwm2000.mtx.gz", false;
    cari: "cari.mtx.gz", true;
    cryg10000: "cryg10000.mtx.gz", false;
    ogbl_ddi: "ogbl-ddi.mtx.gz", true;
    p2p_gnutella31: "p2p-Gnutella31.mtx.gz", true;
    transformer: "transformer-0.98-symbol_modality.mtx.gz", true;
    wiki_vote: "wiki-Vote.mtx.gz", true;
}
