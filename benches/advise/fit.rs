//! Fits the constants of the model to measured times, also without one family of matrices at a time.

use unisparse::Advice;

/// Factors of the shipped constants.
pub(crate) type Factors = [f64; Advice::FACTORS];

/// The shipped constants themselves.
pub(crate) const SHIPPED: Factors = [1.0; Advice::FACTORS];

/// The time of a product in one format.
pub(crate) struct Measured {
    pub advice: Advice,
    pub seconds: f64,
    /// What the model says that it consists of.
    terms: ([f64; Advice::FACTORS], f64),
}

impl Measured {
    pub(crate) fn new(advice: Advice, seconds: f64, threads: usize) -> Self {
        let terms = advice.terms(threads);
        Measured { advice, seconds, terms }
    }

    /// Returns the modelled seconds with these factors of the constants.
    fn seconds_with(&self, factors: &Factors) -> f64 {
        let (terms, fork) = &self.terms;
        fork + terms
            .iter()
            .zip(factors)
            .map(|(term, factor)| term * factor)
            .sum::<f64>()
    }
}

/// All measured formats of one matrix.
pub(crate) struct Sample {
    pub name: String,
    /// What kind of matrix it is: constants are fitted without some kinds, and judged on them.
    pub family: String,
    pub set: &'static str,
    pub threads: usize,
    pub formats: Vec<Measured>,
    /// The time to make the advices, in products of compressed rows.
    pub products: f64,
    /// The regrets of the format that is the fastest in one half of the rounds, in the other half.
    pub noise: [f64; 2],
}

impl Sample {
    /// Returns the time of the format with the least value of `time`, over that of the fastest format, minus one.
    fn regret_by(&self, time: impl Fn(&Measured) -> f64) -> f64 {
        let chosen = self
            .formats
            .iter()
            .min_by(|left, right| time(left).total_cmp(&time(right)));
        chosen.map_or(0.0, |format| format.seconds / self.best() - 1.0)
    }

    /// Returns the seconds of the fastest format.
    pub(crate) fn best(&self) -> f64 {
        self.formats
            .iter()
            .map(|format| format.seconds)
            .fold(f64::INFINITY, f64::min)
    }

    /// Returns the regret of the advice as it is given.
    pub(crate) fn regret(&self) -> f64 {
        self.regret_by(|format| format.advice.seconds())
    }

    /// Returns the regret with other constants.
    pub(crate) fn regret_with(&self, factors: &Factors) -> f64 {
        self.regret_by(|format| format.seconds_with(factors))
    }

    /// Returns what a fit makes small: the regret that is expected if modelled times are uncertain, and a little of the mean squared
    /// error of their logarithms, so that times remain times.
    fn loss(&self, factors: &Factors) -> f64 {
        /// Standard deviation, more or less, of the logarithm of a modelled time.
        const UNCERTAIN: f64 = 0.05;
        /// Share of the squared error.
        const SQUARED: f64 = 0.1;
        let best = self.best();
        let modelled: Vec<f64> = self
            .formats
            .iter()
            .map(|format| format.seconds_with(factors).ln())
            .collect();
        let least = modelled.iter().copied().fold(f64::INFINITY, f64::min);
        let (mut chances, mut regret, mut weights, mut sum, mut squares) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (Measured { seconds: time, .. }, modelled) in self.formats.iter().zip(modelled) {
            let chance = ((least - modelled) / UNCERTAIN).exp();
            chances += chance;
            regret += chance * (time / best).ln();
            // Formats far from the fastest count little.
            let (weight, error) = ((best / time).powi(2), modelled - time.ln());
            weights += weight;
            sum += weight * error;
            squares += weight * error * error;
        }
        // Only ratios matter: the mean error counts a little.
        let mean = sum / weights;
        (1.0 - SQUARED) * regret / chances + SQUARED * (squares / weights - 0.95 * mean * mean)
    }
}

/// Returns the factors with the least loss over some samples, found one after another.
pub(crate) fn fit(samples: &[&Sample]) -> Factors {
    let of = |factors: &Factors| samples.iter().map(|sample| sample.loss(factors)).sum::<f64>();
    let (mut factors, mut least, mut step) = (SHIPPED, of(&SHIPPED), 1.6f64);
    while step > 1.03 {
        let before = least;
        for at in 0..factors.len() {
            for tried in [factors[at] * step, factors[at] / step] {
                let kept = std::mem::replace(&mut factors[at], tried.clamp(0.05, 20.0));
                let loss = of(&factors);
                if loss < least {
                    least = loss;
                } else {
                    factors[at] = kept;
                }
            }
        }
        if before - least < 1e-3 * before {
            step = step.sqrt();
        }
    }
    factors
}

/// Returns the regrets of the samples of each family with constants that were fitted without it.
pub(crate) fn without_own_family(samples: &[Sample]) -> Vec<(&Sample, f64)> {
    let mut families: Vec<&str> = samples.iter().map(|sample| sample.family.as_str()).collect();
    families.sort_unstable();
    families.dedup();
    let mut regrets = Vec::new();
    for family in families {
        let others: Vec<&Sample> = samples.iter().filter(|sample| sample.family != family).collect();
        let factors = fit(&others);
        let own = samples.iter().filter(|sample| sample.family == family);
        regrets.extend(own.map(|sample| (sample, sample.regret_with(&factors))));
    }
    regrets
}

/// Returns all measurements as lines of comma-separated values: a fit can be tried without measuring again.
pub(crate) fn csv(samples: &[Sample]) -> String {
    let mut text = String::from("set,family,matrix,threads,format,seconds,fork");
    (0..Advice::FACTORS).for_each(|at| text.push_str(&format!(",term_{at}")));
    for sample in samples {
        for format in &sample.formats {
            let (terms, fork) = &format.terms;
            text.push_str(&format!(
                "\n{},{},{},{},{:?},{:e},{fork:e}",
                sample.set,
                sample.family,
                sample.name,
                sample.threads,
                format.advice.format(),
                format.seconds
            ));
            terms.iter().for_each(|term| text.push_str(&format!(",{term:e}")));
        }
    }
    text.push('\n');
    text
}
