//! Chooses thresholds from the data: those that minimize the time of a product according to the cost model (`model::cost`).
//!
//! One sort per part counts the nodes of its levels for all candidate thresholds at once: a node exists for the thresholds
//! below the greatest number of an element under it, or from the least number on. For formats with queries, the nodes are
//! counted separately for each of a few thresholds.

use std::cmp::Ordering;

use super::split::{Numbered, PartOf, Split, parts_of};
use crate::element::Stored;
use crate::error::{Error, ErrorKind};
use crate::limit::Limit;
use crate::machine::radix;
use crate::model::Profile;
use crate::model::cost::seconds;
use crate::model::estimate::Counting;
use crate::tensor::SparseTensor;

/// Maximum number of candidates for a threshold.
const MOST: usize = 256;
/// Maximum number of candidates for a threshold if its part or a later one has queries.
const MOST_QUERIED: usize = 8;
/// Maximum number of rounds in which each threshold is chosen again, given the others.
const ROUNDS: usize = 4;

/// The format of one part of a hybrid, as a function that profiles elements.
pub struct Part<T: Stored, const N: usize> {
    queried: bool,
    profiles: Profiles<T, N>,
}

type Profiles<T, const N: usize> = fn(&PartOf<'_, T, N>, &Counting<'_>) -> Result<Vec<Profile>, Error>;

impl<T: Stored, const N: usize> Part<T, N> {
    /// Creates the part with format `F`.
    #[must_use]
    pub fn of<F: SparseTensor<N, Scalar = T>>() -> Self {
        Part {
            queried: F::ENCODINGS.iter().any(|encoding| !encoding.queries.is_empty()),
            profiles: |part, counting| F::profiles_of(part, counting),
        }
    }
}

impl<T: Stored, const N: usize> Numbered<T, N> {
    /// Divides the elements by [automatically chosen thresholds](Self::thresholds).
    ///
    /// # Errors
    /// As [`SparseTensor::estimate_of`] of the parts.
    pub fn automatically(self, given: &[Option<i64>], parts: &[Part<T, N>]) -> Result<Split<T, N>, Error> {
        let thresholds = self.thresholds(given, parts)?;
        Ok(self.by(&thresholds))
    }

    /// Returns the thresholds for which a product with the parts would take the least time, among those whose parts stay within
    /// the limit; ties go to the lowest. Given thresholds are kept.
    ///
    /// Several free thresholds are found by coordinate descent, which ends when none changes or after a few rounds. It starts
    /// from shares of the greatest number and from all elements in one part, for each part; the best result is taken.
    ///
    /// # Errors
    /// As [`SparseTensor::estimate_of`] of the parts.
    pub fn thresholds(&self, given: &[Option<i64>], parts: &[Part<T, N>]) -> Result<Vec<i64>, Error> {
        let free: Vec<usize> = (0..given.len()).filter(|&k| given[k].is_none()).collect();
        if free.is_empty() {
            return Ok(given.iter().flatten().copied().collect());
        }
        let mut best: Option<(Case, Vec<i64>)> = None;
        for start in starts(&self.numbers, given) {
            let found = self.descend(start, &free, parts)?;
            if best.as_ref().is_none_or(|best| found.0.compare(&best.0).is_lt()) {
                best = Some(found);
            }
        }
        Ok(best.expect("there is a start").1)
    }

    /// Optimizes the `free` thresholds from this start; returns the result of the parts and the thresholds.
    fn descend(
        &self,
        mut thresholds: Vec<i64>,
        free: &[usize],
        parts: &[Part<T, N>],
    ) -> Result<(Case, Vec<i64>), Error> {
        let mut best = Case::new(self.limit);
        for _ in 0..if free.len() > 1 { ROUNDS } else { 1 } {
            let before = thresholds.clone();
            for &k in free {
                let (threshold, case) = self.best(&thresholds, k, parts)?;
                thresholds[k] = threshold;
                best = case;
            }
            if thresholds == before {
                break;
            }
        }
        Ok((best, thresholds))
    }

    /// Returns the best candidate for threshold `k`, with the others fixed, and the result of the parts for it.
    fn best(&self, thresholds: &[i64], k: usize, parts: &[Part<T, N>]) -> Result<(i64, Case), Error> {
        let most = match parts[k..].iter().any(|part| part.queried) {
            true => MOST_QUERIED,
            false => MOST,
        };
        let candidates = candidates(&self.numbers, most);
        // The part of each element that does not exceed any candidate. Elements of parts before `k` stay there.
        let mut skipped = thresholds.to_vec();
        skipped[k] = i64::MAX;
        let below = parts_of(&self.numbers, &skipped);
        let above: Vec<usize> = below
            .iter()
            .map(|&part| part.min(k + 1))
            .map(|part| part.max(k))
            .collect();
        let ranks_of = |belongs: &dyn Fn(usize) -> bool| -> Vec<u32> {
            let elements = self.numbers.iter().zip(&below).filter(|&(_, &part)| belongs(part));
            let rank = |&[number]: &[i64; 1]| candidates.partition_point(|&candidate| candidate < number) as u32;
            elements.map(|(number, _)| rank(number)).collect()
        };
        let mut cases = vec![Case::new(self.limit); candidates.len()];
        let profile_of = |divided: &[usize], number: usize| {
            match (parts[number].profiles)(&self.part(divided, number), &Counting::All) {
                Ok(mut profiles) => Ok(profiles.pop()),
                // A query of this part may fail for these elements and succeed for another threshold.
                Err(error) if matches!(error.kind(), ErrorKind::Limit | ErrorKind::Overflow) => Ok(None),
                Err(error) => Err(error),
            }
        };
        for number in 0..k {
            let profile = profile_of(&below, number)?;
            cases.iter_mut().for_each(|case| case.add(profile.clone()));
        }
        for (number, part) in parts.iter().enumerate().skip(k) {
            let profiles: Vec<Option<Profile>> = if part.queried {
                let of_candidate = |&candidate: &i64| {
                    let mut thresholds = thresholds.to_vec();
                    thresholds[k] = candidate;
                    profile_of(&parts_of(&self.numbers, &thresholds), number)
                };
                candidates.iter().map(of_candidate).collect::<Result<_, Error>>()?
            } else if number == k {
                let ranks = ranks_of(&|part| part > k);
                (part.profiles)(&self.part(&above, k + 1), &Counting::Above(&ranks, candidates.len()))?
                    .into_iter()
                    .map(Some)
                    .collect()
            } else {
                let ranks = ranks_of(&|part| part == number);
                (part.profiles)(&self.part(&below, number), &Counting::UpTo(&ranks, candidates.len()))?
                    .into_iter()
                    .map(Some)
                    .collect()
            };
            for (case, profile) in cases.iter_mut().zip(profiles) {
                case.add(profile);
            }
        }
        let chosen = candidates.into_iter().zip(cases);
        Ok(chosen
            .min_by(|(_, left), (_, right)| left.compare(right))
            .expect("there is a candidate"))
    }
}

/// The parts for some thresholds, and what they cost.
#[derive(Clone)]
struct Case {
    parts: Vec<Profile>,
    seconds: f64,
    refused: bool,
    limit: Limit,
}

impl Case {
    fn new(limit: Limit) -> Self {
        Case {
            parts: Vec::new(),
            seconds: 0.0,
            refused: false,
            limit,
        }
    }

    fn add(&mut self, part: Option<Profile>) {
        let Some(part) = part else {
            self.refused = true;
            return;
        };
        self.refused |= part.overflow.is_some() || part.estimate().bytes() > part.allowed(self.limit);
        self.limit = self.limit.after(part.estimate().bytes());
        self.parts.push(part);
        self.seconds = seconds(&self.parts);
    }

    /// Orders by time; refused cases come last.
    fn compare(&self, other: &Self) -> Ordering {
        let refused = self.refused.cmp(&other.refused);
        refused.then(self.seconds.total_cmp(&other.seconds))
    }
}

/// Returns the starting thresholds: the shares and, if several are free, for each part those that put all elements in it.
fn starts(numbers: &[[i64; 1]], given: &[Option<i64>]) -> Vec<Vec<i64>> {
    let mut starts = vec![shares(numbers, given)];
    if given.iter().filter(|threshold| threshold.is_none()).count() > 1 {
        let numbers = || numbers.iter().map(|&[number]| number);
        let greatest = numbers().max().unwrap_or(0);
        let below = numbers().min().unwrap_or(0).saturating_sub(1);
        starts.extend((0..=given.len()).map(|part| {
            let threshold = |k: usize| if k < part { greatest } else { below };
            (0..given.len())
                .map(|k| given[k].unwrap_or_else(|| threshold(k)))
                .collect()
        }));
        starts.dedup();
    }
    starts
}

/// Sets thresholds that are not given to shares of the greatest number: threshold `k` of `K` to `(K - k) / (K + 1)` of it.
fn shares(numbers: &[[i64; 1]], given: &[Option<i64>]) -> Vec<i64> {
    let greatest = numbers.iter().map(|&[number]| number).max().unwrap_or(0);
    let share = |k: usize| {
        let share = i128::from(greatest) * (given.len() - k) as i128 / (given.len() + 1) as i128;
        i64::try_from(share).unwrap_or(greatest)
    };
    (0..given.len()).map(|k| given[k].unwrap_or_else(|| share(k))).collect()
}

/// Returns candidate thresholds that divide the elements in different ways, ascending: one below all numbers, and each
/// distinct number. At most `most`, with about equal numbers of elements between neighbours.
fn candidates(numbers: &[[i64; 1]], most: usize) -> Vec<i64> {
    let Some(least) = numbers.iter().map(|&[number]| number).min() else {
        return vec![0];
    };
    // Differences to the least number, which always fit `u64`.
    let mut sorted: Vec<u64> = numbers.iter().map(|&[number]| number.abs_diff(least)).collect();
    let mut nothing = vec![(); sorted.len()];
    radix::sort(&mut sorted, &mut nothing, 0..u64::BITS);
    let mut distinct = sorted.clone();
    distinct.dedup();
    if distinct.len() >= most {
        let last = sorted.len() - 1;
        distinct = (1..most).map(|at| sorted[last * at / (most - 1)]).collect();
        distinct.dedup();
    }
    let mut all = vec![least.saturating_sub(1)];
    all.extend(distinct.into_iter().map(|above| least.wrapping_add_unsigned(above)));
    all
}

#[cfg(test)]
mod tests {
    use super::{candidates, shares, starts};

    fn numbered(numbers: &[i64]) -> Vec<[i64; 1]> {
        numbers.iter().map(|&number| [number]).collect()
    }

    #[test]
    fn thresholds_start_from_shares_of_the_greatest_number() {
        let shares = |numbers: &[i64], given: &[Option<i64>]| shares(&numbered(numbers), given);
        assert_eq!(shares(&[3, 4, 7], &[None]), [3], "3 of 7");
        assert_eq!(shares(&[2, 3, 5, 6, 9], &[None, None]), [6, 3]);
        assert_eq!(shares(&[i64::MAX], &[None, None]), [i64::MAX / 3 * 2, i64::MAX / 3]);
        assert_eq!(shares(&[0, 8], &[None, Some(3)]), [5, 3]);
        assert_eq!(shares(&[], &[None]), [0]);
    }

    #[test]
    fn several_thresholds_are_chosen_from_all_elements_in_one_part_too() {
        let numbers = numbered(&[2, 9, 5]);
        let all = [[6, 3], [1, 1], [9, 1], [9, 9]];
        assert_eq!(starts(&numbers, &[None, None]), all);
        assert_eq!(starts(&numbers, &[None, Some(3)]), [[6, 3]]);
        let around = [[6, 3, 2], [1, 3, 1], [9, 3, 1], [9, 3, 9]];
        assert_eq!(starts(&numbers, &[None, Some(3), None]), around);
    }

    #[test]
    fn candidates_divide_the_elements_in_all_ways_there_are() {
        assert_eq!(candidates(&numbered(&[5, 2, 5, 9]), 256), [1, 2, 5, 9]);
        assert_eq!(candidates(&numbered(&[]), 256), [0]);
        assert_eq!(candidates(&numbered(&[i64::MIN]), 256), [i64::MIN, i64::MIN]);
        let many: Vec<i64> = (0..1000).collect();
        let few = candidates(&numbered(&many), 8);
        assert_eq!(few.len(), 8);
        assert_eq!((few[0], few[7]), (-1, 999));
    }
}
