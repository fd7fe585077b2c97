//! Selection of the widest vectors of the machine when a kernel runs.

/// The vector registers for which a loop is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registers {
    /// The bytes of the sums that a tile may hold.
    pub(crate) sums: usize,
    /// The most bytes of the sums of one row of a tile: longer rows are worth no further copy of the loops.
    ///
    /// With AVX-512, products of stencils with 128 columns take 0.8 to 0.92 of the time with rows of 512 bytes.
    pub(crate) row: usize,
}

impl Registers {
    /// A quarter of sixteen registers of 16 bytes: SSE2. Shorter tiles are fewer copies of the loops to compile.
    pub(crate) const SMALLEST: Self = Registers { sums: 64, row: 256 };
    /// Half of sixteen registers of 32 bytes, or of thirty-two of 16: AVX2, NEON. The other half holds factors.
    pub(crate) const USUAL: Self = Registers { sums: 256, row: 256 };
    /// Half of thirty-two registers of 64 bytes: AVX-512.
    #[cfg(any(test, wide_vectors, all(target_arch = "x86_64", not(optimised))))]
    pub(crate) const WIDEST: Self = Registers { sums: 1024, row: 512 };
}

/// The registers for which the program is compiled.
const BASE: Registers = if cfg!(all(target_arch = "x86_64", not(target_feature = "avx2"))) {
    Registers::SMALLEST
} else {
    Registers::USUAL
};

/// Runs `body`, compiled for the vectors of this machine.
///
/// These are AVX2 on x86-64 where it is available, or else those that the program is compiled for. The check is a load and
/// a branch. Without optimisation there is one version, whose tiles are those of the version for this machine.
///
/// Only the parts of `body` that are inlined are compiled for AVX2, too; `#[inline(always)]` ensures that.
#[inline(always)]
pub fn multiversioned<R>(body: impl FnOnce(Registers) -> R) -> R {
    #[cfg(all(optimised, target_arch = "x86_64", not(target_feature = "avx2")))]
    if has_avx2() {
        // SAFETY: the machine has been found to have AVX2.
        return unsafe { with_avx2(body) };
    }
    body(if cfg!(optimised) { BASE } else { usual() })
}

/// Like [`multiversioned`], for loops whose accesses are contiguous: on x86-64 they are compiled for AVX-512, too, by Rust
/// 1.89 and later.
///
/// Products with dense columns take 0.6 to 1.1 of the time with AVX2, blocks of diagonals in cache 0.75 to
/// 0.95. Loops that gather take 1.2 to 1.5 of it.
#[inline(always)]
pub fn multiversioned_wide<R>(body: impl FnOnce(Registers) -> R) -> R {
    #[cfg(wide_vectors)]
    if has_avx512() {
        // SAFETY: the machine has been found to have these features.
        return unsafe { with_avx512(body) };
    }
    #[cfg(optimised)]
    return multiversioned(body);
    #[cfg(not(optimised))]
    body(widest())
}

/// Returns the registers that an optimised [`multiversioned`] chooses.
fn usual() -> Registers {
    if has_avx2() { Registers::USUAL } else { BASE }
}

/// Returns the registers that an optimised [`multiversioned_wide`] chooses.
#[cfg(not(optimised))]
fn widest() -> Registers {
    #[cfg(target_arch = "x86_64")]
    if has_avx512() {
        return Registers::WIDEST;
    }
    usual()
}

#[inline(always)]
fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

#[cfg(all(target_arch = "x86_64", any(wide_vectors, not(optimised))))]
#[inline(always)]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") && is_x86_feature_detected!("avx512dq")
}

/// Runs `body`, compiled for AVX2.
///
/// # Safety
/// The machine must have AVX2.
#[cfg(all(optimised, target_arch = "x86_64", not(target_feature = "avx2")))]
#[target_feature(enable = "avx2")]
unsafe fn with_avx2<R>(body: impl FnOnce(Registers) -> R) -> R {
    body(Registers::USUAL)
}

/// Runs `body`, compiled for AVX-512.
///
/// # Safety
/// The machine must have AVX-512 F, VL and DQ.
#[cfg(wide_vectors)]
#[target_feature(enable = "avx512f,avx512vl,avx512dq")]
unsafe fn with_avx512<R>(body: impl FnOnce(Registers) -> R) -> R {
    body(Registers::WIDEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_run_gives_what_it_gives() {
        #[inline(always)]
        fn add(sums: &mut [f64; 37]) -> f64 {
            sums.iter_mut()
                .zip(&[1.5f64; 37])
                .for_each(|(sum, value)| *sum += 2.0 * value);
            sums.iter().sum()
        }
        let (mut usual, mut widest) = ([0.25f64; 37], [0.25f64; 37]);
        let usual_total = multiversioned(
            #[inline(always)]
            |_| add(&mut usual),
        );
        let widest_total = multiversioned_wide(
            #[inline(always)]
            |_| add(&mut widest),
        );
        assert_eq!((usual_total, widest_total), (37.0 * 3.25, 37.0 * 3.25));
        assert_eq!((usual, widest), ([3.25; 37], [3.25; 37]));
    }
}
