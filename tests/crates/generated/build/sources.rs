//! Chooses the formats from which a generated format is converted. Each pair is compiled, so each format has a few sources,
//! and each source appears many times in the tests of `.ci/nightly`.

/// The number of sources for each format, besides triplets and other generated formats.
const EACH: usize = 2;

/// The sources of each number of dims, from one on.
const SOURCES: [&[&str]; 5] = [
    &["List1<f64>", "Dense1<f64>", "Down1<f64>", "Blocks1<f64>"],
    &[
        "Csr<f64>",
        "Csc<f64>",
        "Dia<f64>",
        "Bcsr<f64, 2, 2>",
        "Coo<f64>",
        "Dcsr<f64>",
        "Dcsc<f64>",
        "DiaVariant<f64>",
        "Bcsr<f64, 3, 2>",
        "Bcsc<f64, 2, 3>",
        "Csb<f64, 2>",
        "Bdia<f64, 2>",
        "HiCoo<f64, 2>",
        "Ell<f64>",
        "Sell<f64, 2, 4>",
        "Jds<f64>",
        "Bell<f64, 2>",
        "C2sr<f64, 2>",
        "Cisr<f64, 2>",
        "CisrPlus<f64, 2>",
        "Serpens<f64, 2, 4, 2>",
        "Lil<f64>",
        "Dok<f64>",
        "BdiaCsr<f64, 2>",
        "BellCoo<f64, 2>",
        "Down2<f64>",
        "Skew2<f64>",
        "Parity2<f64>",
        "Follow2<f64>",
    ],
    &[
        "Csf<f64>",
        "Csf3Ikj<f64>",
        "Csf3Jik<f64>",
        "Csf3Jki<f64>",
        "Csf3Kij<f64>",
        "Csf3Kji<f64>",
        "Coo3<f64>",
        "Blocks3<f64>",
        "Down3<f64>",
        "Follow3<f64>",
        "Slots3<f64>",
    ],
    &[
        "Coo4<f64>",
        "Csf4<f64>",
        "Csf4Lkji<f64>",
        "Csf4Jlik<f64>",
        "Csf4Kilj<f64>",
        "Dense4<f64>",
        "Blocks4<f64>",
        "Follow4<f64>",
    ],
    &[
        "Coo5<f64>",
        "Csf5<f64>",
        "Csf5Mlkji<f64>",
        "Csf5Jmlik<f64>",
        "Blocks5<f64>",
        "Follow5<f64>",
    ],
];

/// Returns the sources for format number `number` of its rank. The seed selects the first one.
pub(crate) fn sources(dims: usize, number: usize, seed: u64) -> impl Iterator<Item = &'static str> {
    let all = SOURCES[dims - 1];
    (0..EACH).map(move |at| all[(number * EACH + at + seed as usize) % all.len()])
}
