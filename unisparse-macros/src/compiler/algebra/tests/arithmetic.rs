//! Tests of rational numbers and polynomials against a naive reference.

use std::cmp::Ordering;

use proptest::prelude::*;

use super::super::{Polynomial, Rational};
use super::config;
use super::maps::PARAMETERS;

/// Generates integers, often ones near the limits of `i128`.
fn wide() -> impl Strategy<Value = i128> + Clone {
    prop_oneof![
        2 => -6i128..7,
        2 => prop_oneof![Just(i128::MIN), Just(i128::MIN + 1), Just(i128::MAX), Just(1i128 << 126), Just(-(1i128 << 126))],
        1 => prop_oneof![Just(1i128 << 64), Just((1i128 << 63) - 1), Just(3i128 << 80)],
        1 => any::<i128>(),
    ]
}

fn rational(numbers: impl Strategy<Value = i128> + Clone) -> impl Strategy<Value = Rational> {
    (numbers.clone(), numbers).prop_map(|(numerator, denominator)| {
        let denominator = if denominator == 0 { 1 } else { denominator };
        Rational::integer(numerator).mul(Rational::integer(denominator).inverse())
    })
}

fn small_rational() -> impl Strategy<Value = Rational> {
    rational(-9i128..10)
}

/// Generates sums of terms with at most two parameters and one inverse parameter.
fn polynomial() -> impl Strategy<Value = Polynomial> {
    let term = (
        -5i128..6,
        1i128..4,
        proptest::collection::vec(0usize..PARAMETERS, 0..3),
        proptest::collection::vec(0usize..PARAMETERS, 0..2),
    );
    proptest::collection::vec(term, 0..4).prop_map(|terms| {
        let parameter = Polynomial::parameter;
        terms
            .into_iter()
            .fold(Polynomial::zero(), |sum, (numerator, denominator, over, under)| {
                let divisor = under
                    .into_iter()
                    .map(parameter)
                    .fold(Polynomial::integer(denominator), |a, b| a.mul(&b));
                let inverse = divisor.inverse().expect("one term");
                let term = over
                    .into_iter()
                    .map(parameter)
                    .fold(Polynomial::integer(numerator), |a, b| a.mul(&b));
                sum.add(&term.mul(&inverse))
            })
    })
}

/// Returns `a * b` as a sign and four words of 64 bits, the lowest first.
fn product(a: i128, b: i128) -> (bool, [u64; 4]) {
    let words = |value: i128| [value.unsigned_abs() as u64, (value.unsigned_abs() >> 64) as u64];
    let (left, right) = (words(a), words(b));
    let mut result = [0u64; 4];
    for (at, &l) in left.iter().enumerate() {
        let mut carry = 0u128;
        for (by, &r) in right.iter().enumerate() {
            let sum = u128::from(l) * u128::from(r) + u128::from(result[at + by]) + carry;
            result[at + by] = sum as u64;
            carry = sum >> 64;
        }
        result[at + 2] = carry as u64;
    }
    ((a < 0) != (b < 0) && result != [0; 4], result)
}

/// Whether `a / b = c / d`, computed without overflow.
fn same(a: (i128, i128), b: (i128, i128)) -> bool {
    product(a.0, b.1) == product(b.0, a.1)
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn rationals_agree_with_fractions(a in small_rational(), b in small_rational()) {
        let (an, ad, bn, bd) = (a.numerator(), a.denominator(), b.numerator(), b.denominator());
        let pair = |value: Rational| (value.numerator(), value.denominator());
        prop_assert!(same(pair(a.add(b)), (an * bd + bn * ad, ad * bd)));
        prop_assert!(same(pair(a.mul(b)), (an * bn, ad * bd)));
        prop_assert!(same(pair(a.neg()), (-an, ad)));
        prop_assert_eq!(a.sign(), Some(an.cmp(&0)));
        prop_assert_eq!(a.is_zero(), an == 0);
        prop_assert_eq!(a.as_integer().is_some(), an % ad == 0);
        if !a.is_zero() {
            prop_assert!(same(pair(a.inverse()), (ad, an)));
            prop_assert_eq!(a.mul(a.inverse()), Rational::ONE);
        }
        // Each number has one representation, so that equality compares values.
        prop_assert_eq!(a == b, same((an, ad), (bn, bd)));
    }

    #[test]
    fn rationals_that_do_not_fit_are_lost_and_never_wrong(
        a in rational(wide()), b in rational(wide()), c in rational(wide()),
    ) {
        for lost in [a, b, c].into_iter().filter(|value| value.is_lost()) {
            prop_assert!(lost.sign().is_none() && !lost.is_zero() && lost.as_integer().is_none());
            prop_assert!(lost.add(Rational::ONE).is_lost() && lost.neg().is_lost() && lost.inverse().is_lost());
            prop_assert!(lost.mul(Rational::integer(3)).is_lost());
        }
        if a.is_lost() || b.is_lost() {
            return Ok(());
        }
        let times = a.mul(b);
        if !times.is_lost() && !times.is_zero() {
            // times / a = b
            let back = times.mul(a.inverse());
            prop_assert!(back.is_lost() || back == b);
        }
        let plus = a.add(b);
        if !plus.is_lost() {
            let back = plus.add(a.neg());
            prop_assert!(back.is_lost() || back == b);
        }
        if a.denominator() == 1 && b.denominator() == 1 {
            prop_assert_eq!(plus.as_integer(), a.numerator().checked_add(b.numerator()));
            prop_assert_eq!(times.as_integer(), a.numerator().checked_mul(b.numerator()));
        }
    }

    #[test]
    fn polynomials_agree_with_their_values(
        a in polynomial(), b in polynomial(), at in proptest::collection::vec(1i128..7, PARAMETERS),
    ) {
        let (left, right) = (a.evaluate(&at), b.evaluate(&at));
        prop_assert_eq!(a.add(&b).evaluate(&at), left.add(right));
        prop_assert_eq!(a.sub(&b).evaluate(&at), left.add(right.neg()));
        prop_assert_eq!(a.mul(&b).evaluate(&at), left.mul(right));
        prop_assert_eq!(a.neg().evaluate(&at), left.neg());
        prop_assert!(a.sub(&a).is_zero());
        let (multiple, rest) = a.divide(&b);
        prop_assert_eq!(multiple.mul(&b).add(&rest), a.clone());
        prop_assert!(multiple.is_integral());
        if let Some(inverse) = a.inverse() {
            prop_assert_eq!(inverse.evaluate(&at), left.inverse());
            prop_assert_eq!(a.mul(&inverse), Polynomial::one());
        }
        if let Some(value) = a.as_integer() {
            prop_assert_eq!(left, Rational::integer(value));
        }
        if a.is_nonnegative() {
            prop_assert_ne!(left.sign(), Some(Ordering::Less));
        }
        if a.is_integral() {
            prop_assert!(left.as_integer().is_some());
        }
        let whole = a.mul(&a.denominator());
        prop_assert!(whole.is_integral(), "{:?} leaves {:?}", a, whole);
        prop_assert_eq!(a.denominator() == Polynomial::one(), a.is_integral());
        prop_assert_eq!(a.cmp(&b) == Ordering::Equal, a == b);
    }

    #[test]
    fn coefficients_that_do_not_fit_are_lost(a in wide(), b in wide()) {
        let (left, right) = (Polynomial::integer(a), Polynomial::integer(b).mul(&Polynomial::parameter(0)));
        let times = left.mul(&right);
        prop_assert_eq!(times.is_lost(), a.checked_mul(b).is_none());
        prop_assert!(!times.is_lost() || (!times.is_zero() && !times.is_nonnegative() && !times.neg().is_nonnegative()));
        prop_assert!(!times.is_lost() || (times.inverse().is_none() && times.as_integer().is_none()));
        prop_assert!(!times.is_lost() || (times.denominator().is_lost() && !times.is_integral()));
        let plus = left.add(&Polynomial::integer(b));
        prop_assert_eq!(plus.is_lost(), a.checked_add(b).is_none());
    }
}
