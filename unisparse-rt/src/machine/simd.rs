//! Selection of the widest vectors of the machine when a kernel runs.

/// Runs `body`, compiled for the vectors of this machine.
///
/// These are AVX2 on x86-64 where it is available, or else those that the program is compiled for. The check is a load and
/// a branch. AVX-512 was tried: diagonals of blocks gain a third; products with few columns, whole diagonals and lanes lose
/// 8 to 30 %.
///
/// Only the parts of `body` that are inlined are compiled for AVX2, too; `#[inline(always)]` ensures that.
#[inline(always)]
pub fn multiversioned<R>(body: impl FnOnce() -> R) -> R {
    #[cfg(all(target_arch = "x86_64", not(target_feature = "avx2")))]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has been found to have AVX2.
        return unsafe { with_avx2(body) };
    }
    body()
}

/// Runs `body`, compiled for AVX2.
///
/// # Safety
/// The machine must have AVX2.
#[cfg(all(target_arch = "x86_64", not(target_feature = "avx2")))]
#[target_feature(enable = "avx2")]
unsafe fn with_avx2<R>(body: impl FnOnce() -> R) -> R {
    body()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_run_gives_what_it_gives() {
        let (values, mut sums) = ([1.5f64; 37], [0.25f64; 37]);
        let total = multiversioned(
            #[inline(always)]
            || {
                sums.iter_mut()
                    .zip(&values)
                    .for_each(|(sum, value)| *sum += 2.0 * value);
                sums.iter().sum::<f64>()
            },
        );
        assert_eq!((total, sums), (37.0 * 3.25, [3.25; 37]));
    }
}
