//! Products with real matrices in every stock format, against sprs.

use crate::common::Random;
use crate::common::data::shared;
use unisparse::prelude::*;
use unisparse::{ErrorKind, Triplets};

fn close(own: &[f64], theirs: &[f64], what: &str) {
    assert_eq!(own.len(), theirs.len());
    for (at, (own, theirs)) in own.iter().zip(theirs).enumerate() {
        assert!(
            (own - theirs).abs() <= 1e-10 * theirs.abs().max(1.0),
            "{what}, {at}: {own} {theirs}"
        );
    }
}

fn products(file: &str) {
    let Some(path) = shared(&format!("data/paper/{file}")) else {
        return;
    };
    let triplets: Triplets<f64, 2> = unisparse::io::read_matrix_market(path).unwrap();
    let [m, n] = triplets.shape();
    let mut builder = sprs::TriMat::new((m, n));
    for ([i, j], value) in triplets.iter() {
        builder.add_triplet(i, j, value);
    }
    let other: sprs::CsMat<f64> = builder.to_csr();
    let columns = 4;
    let mut random = Random::new(11);
    let mut vector = |len: usize| -> Vec<f64> { random.vector(len).into_iter().map(|value| value - 4.7).collect() };
    let (x, b) = (vector(n), vector(n * columns));
    let mut y = vec![0.0; m];
    sprs::prod::mul_acc_mat_vec_csr(other.view(), &x[..], &mut y[..]);
    let mut c = vec![0.0; m * columns];
    for column in 0..columns {
        let x: Vec<f64> = (0..n).map(|j| b[j * columns + column]).collect();
        let mut y = vec![0.0; m];
        sprs::prod::mul_acc_mat_vec_csr(other.view(), &x[..], &mut y[..]);
        for i in 0..m {
            c[i * columns + column] = y[i];
        }
    }
    assert!(y.iter().any(|&value| value != 0.0));
    let mut done = 0;
    macro_rules! each {
        ($($format:ty),*) => {$(
            match triplets.convert_within::<$format>(Limit::bytes(300 << 20)) {
                Ok(a) => {
                    let mut own = vec![f64::NAN; m];
                    spmv(&mut own, &a, &x).unwrap();
                    close(&own, &y, stringify!($format));
                    let mut own = vec![f64::NAN; m * columns];
                    spmm(&mut own, &a, &b).unwrap();
                    close(&own, &c, stringify!($format));
                    done += 1;
                }
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
                    eprintln!("SKIPPED: {file}: {error}");
                }
            }
        )*};
    }
    each!(Coo<f64>, Csr<f64>, Csc<f64>, Dcsr<f64>, Dcsc<f64>, Dia<f64>, DiaVariant<f64>, Bcsr<f64>, Bcsr<f64, 3, 4>);
    each!(Bcsc<f64>, Bcsc<f64, 5, 1>, Csb<f64>, Csb<f64, 7>, Bdia<f64>, Bdia<f64, 3>, HiCoo<f64>, HiCoo<f64, 6>);
    assert!(done >= 13, "{file}: {done}");
}

macro_rules! real {
    ($($test:ident: $file:literal;)*) => {$(
        #[test]
        fn $test() {
            products($file);
        }
    )*};
}

real! {
    bwm2000: "bwm2000.mtx.gz";
    cari: "cari.mtx.gz";
    cryg10000: "cryg10000.mtx.gz";
    p2p_gnutella31: "p2p-Gnutella31.mtx.gz";
    transformer: "transformer-0.98-symbol_modality.mtx.gz";
    wiki_vote: "wiki-Vote.mtx.gz";
}
