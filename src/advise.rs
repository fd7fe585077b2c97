//! The stock formats next to each other.

use crate::formats::*;
use crate::{Advisor, Error, Scalar, Source};

/// The stock formats of two dims, in the block sizes that are common, for the elements of any source: how large each would
/// be, and how long a product with a vector would take. Nothing is built. Formats of yours join with [`Advisor::with`].
///
/// Left out are the formats for accelerators. The times are those of this machine if [`calibrate`](fn@crate::calibrate) has
/// measured it; [`tune`](fn@crate::tune) also builds and measures the best.
///
/// ```
/// use unisparse::prelude::*;
///
/// sparse_format! {
///     /// Diagonals within blocks of 48 rows.
///     format Mine = |i, j| (block: i / 48, diag: j - i, lane: i % 48) { merge(block); trim(diag); }
/// }
/// let band = (0..3000).flat_map(|i| (0..3).map(move |step| ([i, (i + step) % 3000], 1.0)));
/// let band = Triplets::try_from_triplets([3000, 3000], band)?;
/// let ranking = unisparse::advise(&band)?.with::<Mine<f64>>()?.rank();
/// let best = ranking.best().expect("compressed rows are not refused");
/// assert!(best.bytes() < Csr::<f64>::advise(&band)?.bytes());
/// println!("{ranking}");
/// # Ok::<(), unisparse::Error>(())
/// ```
///
/// # Errors
/// `Duplicate` if there are duplicates and the source refuses them.
pub fn advise<S: Source<2, Scalar: Scalar>>(source: &S) -> Result<Advisor<'_, S, 2>, Error> {
    macro_rules! all {
        ($($format:ident $(<$($argument:literal),*>)?),*) => {{
            let advisor = Advisor::new(source)$(.with::<$format<S::Scalar $($(, $argument)*)?>>()?)*;
            Ok(advisor)
        }};
    }
    all!(
        Csr, Csc, Coo, Dcsr, Dcsc, Lil, Dok, Dia, DiaVariant, Bdia<16>, Bdia<64>, Bdia<256>, Bcsr<2, 2>, Bcsr<3, 3>, Bcsr<4, 4>,
        Bcsr<6, 6>, Bcsr<8, 8>, Bcsr<1, 8>, Bcsc<2, 2>, Csb<64>, HiCoo<128>, Ell, Sell<8, 64>, Sell<8, 4096>, Jds, Bell<4>,
        BdiaCsr<16>, BdiaCsr<64>, BdiaCsr<256>, BellCoo<4>
    )
}
