//! What takes part in a comparison on a device.

/// A product that can be enqueued again and again.
pub(crate) struct Contestant<'a> {
    pub(crate) name: String,
    /// The bytes of its operands and of its result, each once.
    pub(crate) bytes: usize,
    /// Enqueues this many products, and returns the milliseconds that the device takes for all of them.
    pub(crate) run: Box<dyn FnMut(usize) -> Result<f64, String> + 'a>,
    /// Returns the result.
    pub(crate) result: Box<dyn Fn() -> Result<Vec<f64>, String> + 'a>,
}

/// Rounds of a comparison.
const ROUNDS: usize = 9;

/// The milliseconds that a round should take for each contestant.
const LONG: f64 = 20.0;

/// Runs all contestants in turn, round after round, and returns the median milliseconds of one product of each, or why there
/// are none.
pub(crate) fn measure(contestants: &mut [Contestant<'_>]) -> Vec<Result<f64, String>> {
    let repeats: Vec<Result<usize, String>> = contestants
        .iter_mut()
        .map(|contestant| {
            (contestant.run)(3)?;
            let each = (contestant.run)(3)? / 3.0;
            Ok((LONG / each.max(1e-3)).clamp(1.0, 10_000.0) as usize)
        })
        .collect();
    let mut times = vec![Vec::new(); contestants.len()];
    for _ in 0..ROUNDS {
        for ((contestant, repeats), times) in contestants.iter_mut().zip(&repeats).zip(&mut times) {
            if let Ok(repeats) = repeats {
                times.push((contestant.run)(*repeats).map(|time| time / *repeats as f64));
            }
        }
    }
    let median = |times: Vec<Result<f64, String>>| {
        let mut times = times.into_iter().collect::<Result<Vec<f64>, String>>()?;
        times.sort_by(f64::total_cmp);
        Ok(times[times.len() / 2])
    };
    repeats
        .into_iter()
        .zip(times)
        .map(|(repeats, times)| repeats.and_then(|_| median(times)))
        .collect()
}
