//! Recommends a format for a matrix: exact sizes, and modelled times of a product, without building any format.

use core::fmt;

use super::calibration::rates;
use super::cost::{Cost, Setting};
use super::profile::Profile;
use super::rates::{KINDS, SHIPPED};
use super::size::Estimate;
use crate::error::{Error, ErrorKind};
use crate::limit::Limit;

/// The result of storing a source's elements in a format: its exact size, and the modelled time of a product with dense
/// vectors. `{}` prints it as one line.
#[derive(Debug, Clone)]
pub struct Advice {
    format: String,
    /// The cost of each part; none if a format is refused before it is counted, which is never the fastest.
    profiles: Vec<Profile>,
    estimate: Estimate,
    elements: u128,
    seconds: f64,
    cost: Cost,
    refusal: Option<Error>,
}

impl Advice {
    /// Makes the advice of the cost of each part of a tensor in `format`.
    ///
    /// # Errors
    /// The error of counting, unless it is one that a conversion would be refused with.
    pub(crate) fn new(format: String, profiles: Result<Vec<Profile>, Error>) -> Result<Self, Error> {
        let (profiles, refusal) = match profiles {
            Ok(profiles) => (profiles, None),
            Err(error) if matches!(error.kind(), ErrorKind::Limit | ErrorKind::Overflow) => (Vec::new(), Some(error)),
            Err(error) => return Err(error),
        };
        let refused = |profile: &Profile| {
            let limit = Limit::check(&format, profile.estimate().bytes(), profile.allowed(Limit::default()));
            limit.err().or_else(|| profile.overflow.clone())
        };
        let refusal = refusal.or_else(|| profiles.iter().find_map(refused));
        let setting = Setting {
            rates: &rates(),
            threads: None,
            columns: 1,
        };
        Ok(Advice {
            estimate: profiles.iter().map(Profile::estimate).sum(),
            elements: profiles.iter().map(|profile| profile.elements).sum(),
            seconds: seconds(&profiles, &setting),
            cost: Cost::of(&profiles, &setting),
            format,
            profiles,
            refusal,
        })
    }

    /// Returns the format and its const parameters: `Bdia<B=64>`.
    #[must_use]
    pub fn format(&self) -> &str {
        &self.format
    }

    /// Returns the number of positions the tensor would hold, including holes. Exact; 0 if a query was refused.
    #[must_use]
    pub fn stored(&self) -> u128 {
        self.estimate.stored()
    }

    /// Returns the bytes of all arrays. Exact; 0 if a query was refused.
    #[must_use]
    pub fn bytes(&self) -> u128 {
        self.estimate.bytes()
    }

    /// Returns the size of the tensor and the memory that its conversion needs.
    #[must_use]
    pub fn estimate(&self) -> Estimate {
        self.estimate
    }

    /// Returns the modelled time in seconds of one product with dense vectors, `y[i] = A[i, j] * x[j]` with one more vector for
    /// each further dim, on the threads of the `rayon` pool in which the advice was made. Infinite if a query was refused.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// As [`seconds`](Self::seconds), with `columns` columns in the dense operands: `Y[i, n] = A[i, j] * X[j, n]`.
    #[must_use]
    pub fn seconds_of_columns(&self, columns: usize) -> f64 {
        seconds_here(&self.profiles, columns)
    }

    /// As [`seconds`](Self::seconds) of a hybrid whose parts are these, in order.
    #[doc(hidden)]
    #[must_use]
    pub fn seconds_of_parts(parts: &[Self]) -> f64 {
        let profiles: Vec<Profile> = parts.iter().flat_map(|part| part.profiles.clone()).collect();
        seconds_here(&profiles, 1)
    }

    /// Returns the seconds of a product and the bytes of a tensor with `factor` times as many elements, in that shape.
    #[doc(hidden)]
    #[must_use]
    pub fn scaled(&self, factor: f64, shape: &[usize], columns: usize) -> (f64, f64) {
        let profiles: Vec<Profile> = self
            .profiles
            .iter()
            .map(|profile| profile.scaled(factor, shape))
            .collect();
        let bytes: u128 = profiles.iter().map(|profile| profile.estimate().bytes()).sum();
        (seconds_here(&profiles, columns), bytes as f64)
    }

    /// The number of constants that are fitted.
    #[doc(hidden)]
    pub const FACTORS: usize = KINDS + 2;

    /// Returns the seconds that each of the shipped constants adds to a product on some threads, then those to start the threads:
    /// their sum is the time. Constants are fitted to it.
    #[doc(hidden)]
    #[must_use]
    pub fn terms(&self, threads: usize) -> ([f64; Self::FACTORS], f64) {
        let with = |factors: &[f64; Self::FACTORS]| {
            let setting = Setting {
                rates: &SHIPPED.scaled(factors),
                threads: Some(threads),
                columns: 1,
            };
            seconds(&self.profiles, &setting)
        };
        let fork = with(&[0.0; Self::FACTORS]);
        let alone = |at: usize| core::array::from_fn(|other| if other == at { 1.0 } else { 0.0 });
        (core::array::from_fn(|at| with(&alone(at)) - fork), fork)
    }

    /// Returns the error of a conversion under the default [`Limit`], if it would be refused.
    #[must_use]
    pub fn refusal(&self) -> Option<&Error> {
        self.refusal.as_ref()
    }

    /// Describes the largest part of the time in words.
    #[must_use]
    pub fn why(&self) -> String {
        if let Some(refusal) = &self.refusal {
            return format!("refused: {}", refusal.found());
        }
        let holes = self.stored().saturating_sub(self.elements);
        let padding = 100.0 * holes as f64 / self.stored().max(1) as f64;
        match padding >= 0.5 {
            true => format!("{}, {padding:.0} % holes", self.cost.why()),
            false => self.cost.why().to_owned(),
        }
    }
}

/// As [`seconds`], on this machine and the threads of the current `rayon` pool.
fn seconds_here(parts: &[Profile], columns: usize) -> f64 {
    let setting = Setting {
        rates: &rates(),
        threads: None,
        columns: columns.max(1),
    };
    seconds(parts, &setting)
}

/// Returns the seconds of a product of these parts; infinite if there are none.
fn seconds(parts: &[Profile], setting: &Setting<'_>) -> f64 {
    match parts {
        [] => f64::INFINITY,
        parts => Cost::of(parts, setting).seconds(),
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (stored, bytes) = (self.stored(), self.bytes());
        let time = milliseconds(self.seconds());
        write!(
            f,
            "{}: {stored} stored, {bytes} B, {time} ms, {}",
            self.format,
            self.why()
        )
    }
}

/// Formats a time in milliseconds, with nanosecond resolution if it is short.
pub(crate) fn milliseconds(seconds: f64) -> String {
    let milliseconds = 1e3 * seconds;
    let digits = if milliseconds < 0.1 { 6 } else { 3 };
    format!("{milliseconds:.digits$}")
}
