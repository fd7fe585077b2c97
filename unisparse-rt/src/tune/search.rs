//! The search for a format: the model chooses which formats are worth building, measurements decide.

use super::linear_operator::LinearOperator;
use super::sample::Sample;
use super::stopwatch::{Clock, Stopwatch};
use super::trial::Trial;
use super::tuned::Tuned;
use super::wanted::Use;
use crate::element::Scalar;
use crate::error::{Error, ErrorKind};
use crate::limit::Limit;
use crate::model::Advice;
use crate::plan::{Method, outline};
use crate::tensor::SparseTensor;
use crate::triplets::Triplets;
use core::any::TypeId;

/// Share of the time of all calls that may be spent on advice.
const ADVICE_SHARE: f64 = 0.02;
/// Advice is cut short when it has taken this many times the share of [`ADVICE_SHARE`].
const LATE: f64 = 1.5;
/// Seconds of the advice on one format for each element of a sample, at first.
const ADVICE_SECONDS: f64 = 60e-9;
/// Numbers of elements of a sample.
const SAMPLE: core::ops::RangeInclusive<usize> = 800..=1 << 14;
/// Share of the time of all calls that conversions may take which turn out not to be worth it.
const RISK: f64 = 0.15;
/// Minimum share of the time of all calls that must be expected to be saved.
const LEAST_GAIN: f64 = 0.01;
/// Fewer calls are not worth a search.
const FEWEST_CALLS: usize = 20;
/// Maximum number of formats that are built.
const MOST_TRIALS: usize = 4;
/// Numbers of rounds in which two formats are compared.
const ROUNDS: core::ops::RangeInclusive<usize> = 3..=15;
/// Relative error of the expected time of a product, as a standard deviation: 0.1 to 0.4 by format, in 180 trials of four runs over 132
/// matrices.
const ERROR: f64 = 0.2;
/// A format is faster if it takes at most this share of the time: the rest is noise.
const FASTER: f64 = 0.98;

/// The time of a conversion, measured for the stock formats: nanoseconds for each element and pass, for each element that is sorted, and
/// for each byte that is written.
mod conversion {
    pub(super) const PASS: f64 = 4.0;
    pub(super) const SORT: f64 = 10.0;
    /// The evaluation of queries, in addition to its passes.
    pub(super) const QUERIES: f64 = 30.0;
    pub(super) const BYTE: f64 = 0.1;
    /// A hybrid, whose threshold is chosen.
    pub(super) const SPLIT: f64 = 160.0;
}

type Advise<T> = fn(&Triplets<T, 2>) -> Result<Advice, Error>;
type Build<'a, T> = Box<dyn Fn(Limit) -> Result<Box<dyn LinearOperator<T> + 'a>, Error> + 'a>;

/// A format that may be built.
pub struct Candidate<'a, T: Scalar> {
    advise: Advise<T>,
    build: Build<'a, T>,
    /// Returns the method of the conversion and its passes; `None` for a hybrid.
    outline: fn() -> Option<(Method, usize)>,
    /// Returns whether the format has queries.
    queries: fn() -> bool,
}

impl<'a, T: Scalar> Candidate<'a, T> {
    /// The format `F` for the elements of `source`; `None` if the source has it already.
    pub fn of<F, S>(source: &'a S, hold: fn(F) -> Box<dyn LinearOperator<T> + 'a>) -> Option<Self>
    where
        F: SparseTensor<2, Scalar = T> + 'static,
        S: SparseTensor<2, Scalar = T> + 'static,
    {
        (TypeId::of::<F>() != TypeId::of::<S>()).then(|| Candidate {
            advise: F::advise,
            build: Box::new(move |limit| F::assemble(source, limit).map(hold)),
            outline: outline::<S, F>,
            queries: || F::ENCODINGS.iter().any(|encoding| !encoding.queries.is_empty()),
        })
    }

    /// Returns the expected seconds of the conversion of this number of elements to this number of bytes.
    fn conversion(&self, elements: f64, bytes: f64) -> f64 {
        let each = match (self.outline)() {
            None => conversion::SPLIT,
            Some((method, passes)) => {
                let passes = conversion::PASS * passes as f64;
                let sort = if method == Method::Sort { conversion::SORT } else { 0.0 };
                let queries = if (self.queries)() { conversion::QUERIES } else { 0.0 };
                passes + sort + queries
            }
        };
        1e-9 * (elements * each + bytes * conversion::BYTE)
    }
}

/// What is expected of a candidate.
struct Expected {
    /// Its number in the list of candidates.
    number: usize,
    /// The time of a product, over that of the original.
    ratio: f64,
    /// Seconds of the conversion.
    conversion: f64,
}

/// Returns a sample of a matrix, given the matrix's number of elements and the number wanted in the sample.
type Sampled<'a, T> = dyn Fn(usize, usize) -> Result<Option<Sample<T>>, Error> + 'a;

/// The search for a format of one matrix.
pub struct Search<'a, T: Scalar> {
    original: Box<dyn LinearOperator<T> + 'a>,
    choice: Choice<'a, T>,
}

/// The formats to choose from, and what they are wanted for.
struct Choice<'a, T: Scalar> {
    /// The advice on the original.
    advise: Advise<T>,
    sample: Box<Sampled<'a, T>>,
    candidates: Vec<Candidate<'a, T>>,
    wanted: Use,
    limit: Limit,
}

impl<'a, T: Scalar> Search<'a, T> {
    /// Starts without candidates. `original` multiplies by `source`.
    pub fn new<S>(source: &'a S, original: Box<dyn LinearOperator<T> + 'a>, wanted: Use) -> Self
    where
        S: SparseTensor<2, Scalar = T>,
    {
        Search {
            original,
            choice: Choice {
                advise: S::advise,
                sample: Box::new(|count, wanted| Sample::of(source, count, wanted)),
                candidates: Vec::new(),
                wanted,
                limit: Limit::default(),
            },
        }
    }

    /// Adds a candidate. Those added last are left out if the time of all calls is short.
    pub fn with(&mut self, candidate: Option<Candidate<'a, T>>) {
        self.choice.candidates.extend(candidate);
    }

    /// Bounds the bytes of each format that is built.
    pub fn within(&mut self, limit: Limit) {
        self.choice.limit = limit;
    }

    /// Runs the search.
    ///
    /// # Errors
    /// Those of the products and of the conversions, except `Limit` and `Overflow`: such formats are left out.
    pub fn run(self) -> Result<Tuned<'a, T>, Error> {
        let clock = Clock::start();
        let Search { original, choice } = self;
        let calls = choice.wanted.calls();
        let stopwatch = Stopwatch::new(original.shape(), choice.wanted);
        let (Some(mut stopwatch), true) = (stopwatch, calls >= FEWEST_CALLS && !choice.candidates.is_empty()) else {
            return Ok(Tuned {
                operator: original,
                is_original: true,
                trials: Vec::new(),
                seconds: clock.seconds(),
            });
        };
        let [first] = stopwatch.least([&*original], *ROUNDS.start())?;
        let first = first.max(1e-9);
        let mut measured = Measured {
            trials: vec![Trial {
                format: original.format(),
                product: first,
                expected: first,
                conversion: 0.0,
                expected_conversion: 0.0,
            }],
            operator: original,
            is_original: true,
            stopwatch,
            calls: calls as f64,
            original: first,
            best: first,
            slower: 1.0,
            longer: 1.0,
        };
        let mut expected = choice.expected(&measured)?;
        for _ in 0..MOST_TRIALS {
            let Some(next) = measured.next(&mut expected, clock) else {
                break;
            };
            measured.attempt(&choice.candidates[next.number], &next, choice.limit)?;
        }
        Ok(measured.tuned(clock))
    }
}

impl<T: Scalar> Choice<'_, T> {
    /// Returns what is expected of the candidates within the limit, by advice on a sample; none if the calls do not pay for advice.
    fn expected(&self, measured: &Measured<'_, T>) -> Result<Vec<Expected>, Error> {
        let count = measured.operator.nnz();
        // The elements that all advices may visit: on few formats, if there is not the time for all.
        let visited = (ADVICE_SHARE * measured.total() / ADVICE_SECONDS) as usize;
        let advised = self.candidates.len().min((visited / SAMPLE.start()).saturating_sub(1));
        if advised == 0 {
            return Ok(Vec::new());
        }
        let Some(sample) = (self.sample)(count, (visited / (advised + 1)).min(*SAMPLE.end()))? else {
            return Ok(Vec::new());
        };
        let clock = Clock::start();
        let advice = (self.advise)(&sample.elements)?;
        let (columns, shape) = (self.wanted.columns(), measured.operator.shape());
        let allowed = self.limit.allowed(count, size_of::<T>(), &shape);
        let model = |advice: &Advice| advice.scaled(sample.factor, &shape, columns);
        let (original, _) = model(&advice);
        let mut expected = Vec::new();
        for (number, candidate) in self.candidates[..advised].iter().enumerate() {
            // The samples of some matrices have more elements than they should.
            if clock.seconds() > LATE * ADVICE_SHARE * measured.total() {
                break;
            }
            let advice = (candidate.advise)(&sample.elements)?;
            let (seconds, bytes) = model(&advice);
            // The limit is for the whole matrix, and may be another than that of advice.
            let is_possible = advice.refusal().is_none_or(|error| error.kind() == ErrorKind::Limit);
            if is_possible && bytes <= allowed as f64 {
                expected.push(Expected {
                    number,
                    ratio: seconds / original,
                    conversion: candidate.conversion(count as f64, bytes),
                });
            }
        }
        Ok(expected)
    }
}

/// Returns the expected saving of a product that takes about `product` seconds, where it is used only if it takes less than `best`: the
/// mean of what it takes less, if the error has a logistic distribution.
fn saved(best: f64, product: f64) -> f64 {
    let scale = product * ERROR * 3f64.sqrt() / core::f64::consts::PI;
    let less = (best - product) / scale;
    // For large `less`, the exponential would overflow.
    scale * (less.max(0.0) + (-less.abs()).exp().ln_1p())
}

/// The state of a search that has measured the original, and what it has measured since.
struct Measured<'a, T: Scalar> {
    /// The best format so far.
    operator: Box<dyn LinearOperator<T> + 'a>,
    is_original: bool,
    stopwatch: Stopwatch<T>,
    calls: f64,
    /// Seconds of a product by the original, and by the best format so far.
    original: f64,
    best: f64,
    trials: Vec<Trial>,
    /// The measured time of products over the expected one, as the geometric mean of all trials; likewise that of conversions.
    slower: f64,
    longer: f64,
}

impl<'a, T: Scalar> Measured<'a, T> {
    /// Returns the seconds of all calls by the original.
    fn total(&self) -> f64 {
        self.calls * self.original
    }

    fn tuned(self, clock: Clock) -> Tuned<'a, T> {
        Tuned {
            operator: self.operator,
            is_original: self.is_original,
            trials: self.trials,
            seconds: clock.seconds(),
        }
    }

    /// Removes the candidate that is expected to save most, if that is worth building it.
    fn next(&self, expected: &mut Vec<Expected>, clock: Clock) -> Option<Expected> {
        let gain = |next: &Expected| {
            let product = self.original * next.ratio * self.slower;
            let trial = (*ROUNDS.start() + 1) as f64 * (product + self.best);
            self.calls * saved(self.best, product) - next.conversion * self.longer - trial
        };
        let most =
            (0..expected.len()).max_by(|&left, &right| gain(&expected[left]).total_cmp(&gain(&expected[right])))?;
        let next = expected.swap_remove(most);
        let spent = clock.seconds() + next.conversion * self.longer;
        let is_safe = spent <= RISK * self.total() || gain(&next) > spent;
        (is_safe && gain(&next) >= LEAST_GAIN * self.total()).then_some(next)
    }

    /// Builds a format, and keeps it if it is faster.
    fn attempt(&mut self, candidate: &Candidate<'a, T>, next: &Expected, limit: Limit) -> Result<(), Error> {
        let clock = Clock::start();
        let built = match (candidate.build)(limit) {
            Ok(built) => built,
            Err(error) if matches!(error.kind(), ErrorKind::Limit | ErrorKind::Overflow) => return Ok(()),
            Err(error) => return Err(error),
        };
        let conversion = clock.seconds();
        let rounds = (0.005 * self.total() / self.best) as usize;
        let [best, found] = self
            .stopwatch
            .least([&*self.operator, &*built], rounds.clamp(*ROUNDS.start(), *ROUNDS.end()))?;
        self.best = self.best.min(best);
        let expected = self.original * next.ratio;
        self.trials.push(Trial {
            format: built.format(),
            product: found,
            expected,
            conversion,
            expected_conversion: next.conversion,
        });
        let trials = (self.trials.len() - 1) as f64;
        let mean = |before: f64, now: f64| {
            (before.ln() * (trials - 1.0) + now.max(1e-3).ln())
                .exp()
                .powf(1.0 / trials)
        };
        self.slower = mean(self.slower, found / expected);
        self.longer = mean(self.longer, conversion / next.conversion);
        if found <= FASTER * self.best {
            (self.operator, self.best, self.is_original) = (built, found, false);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saving_is_expected_from_what_may_be_faster() {
        let close = |left: f64, right: f64| (left - right).abs() < 1e-9;
        assert!(close(saved(1.0, 1e-3), 0.999) && saved(1.0, 100.0) < 0.01);
        // The mean of the error where it is in favour: for a normal distribution it would be 0.4 deviations.
        assert!((0.38..0.42).contains(&(saved(1.0, 1.0) / ERROR)));
        let savings = [0.5, 0.9, 1.0, 1.1, 2.0].map(|product| saved(1.0, product));
        assert!(savings.windows(2).all(|pair| pair[0] > pair[1]) && savings[4] > 0.0);
        assert!(saved(1.0, 0.9) > 0.1);
    }
}
