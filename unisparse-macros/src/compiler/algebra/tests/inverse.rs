//! Tests of the inverse against brute force: every coordinate of a small box, and every point of the levels' domains.

use std::collections::HashMap;

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::super::{Condition, Expression, Interval, Inverse, Linear, Lossy, Polynomial, Rational, Source};
use super::maps::{constant, expression, invertible, parameters, quotient, remainder, scaled, sum};
use super::{config, coordinates, coordinates_of, encode, floor, range, source_value};

/// Maximum number of points that are enumerated.
const MOST_POINTS: i128 = 3_000;

/// Returns the dims of a point of the levels, if all conditions hold.
fn decode(inverse: &Inverse, point: &[i128], shape: &[i128], parameters: &[i128]) -> Option<Vec<i128>> {
    let mut quotients = Vec::new();
    for (form, divisor) in &inverse.quotients {
        quotients.push(floor(
            source_value(form, point, &quotients, parameters),
            divisor,
            parameters,
        ));
    }
    let value = |form: &Linear<Source>| source_value(form, point, &quotients, parameters);
    let nonnegative = |value: Rational| value.sign().expect("not lost").is_ge();
    let holds = |condition: &Condition| match condition {
        Condition::Nonnegative(form) => nonnegative(value(form)),
        Condition::BelowExtent(dim, form) => !nonnegative(value(form).add(Rational::integer(-shape[*dim]))),
        Condition::Divisible(form, divisor) => {
            let divisor = divisor.evaluate(parameters);
            value(form).mul(divisor.inverse()).as_integer().is_some()
        }
    };
    let dims = || {
        inverse
            .dims
            .iter()
            .map(|form| value(form).as_integer().expect("an integer where all conditions hold"))
    };
    inverse.conditions.iter().all(holds).then(|| dims().collect())
}

/// Checks every property of the inverse in a box of this shape.
fn check(levels: &[Expression], inverse: &Inverse, shape: &[i128], parameters: &[i128]) -> TestCaseResult {
    let Some(intervals) = levels.iter().map(Interval::of).collect::<Option<Vec<_>>>() else {
        return Ok(());
    };
    let mut images = HashMap::new();
    let mut prefixes = vec![HashMap::new(); levels.len()];
    for coordinate in coordinates_of(shape) {
        let point = encode(levels, &coordinate, parameters);
        prop_assert_eq!(decode(inverse, &point, shape, parameters), Some(coordinate.clone()));
        for level in (0..levels.len()).filter(|&level| inverse.fixed[level]) {
            let first = *prefixes[level].entry(point[..level].to_vec()).or_insert(point[level]);
            prop_assert_eq!(first, point[level], "level {} is not fixed by those above", level);
        }
        let stored: Vec<i128> = free(inverse, &point);
        prop_assert!(
            images.insert(stored, coordinate).is_none(),
            "two coordinates have one image"
        );
    }
    let domains: Vec<(i128, i128)> = intervals
        .iter()
        .zip(&inverse.fixed)
        // A fixed level is not a source of any form, so one value is enough.
        .map(|(interval, fixed)| {
            if *fixed {
                (i128::MIN, i128::MIN)
            } else {
                range(interval, shape, parameters)
            }
        })
        .collect();
    let points = domains.iter().fold(1i128, |points, (lo, hi)| {
        points.saturating_mul(hi.saturating_sub(*lo) + 1)
    });
    if points > MOST_POINTS {
        return Ok(());
    }
    for point in coordinates(&domains) {
        let decoded = decode(inverse, &point, shape, parameters);
        prop_assert_eq!(decoded.as_ref(), images.get(&free(inverse, &point)), "at {:?}", point);
        // Bounds are used only where every extent is at least one.
        if shape.iter().all(|&extent| extent > 0) {
            check_bounds(inverse, &intervals, &point, shape, parameters)?;
        }
    }
    Ok(())
}

/// Returns the coordinates of the levels that are not fixed.
fn free(inverse: &Inverse, point: &[i128]) -> Vec<i128> {
    point
        .iter()
        .zip(&inverse.fixed)
        .filter(|(_, fixed)| !**fixed)
        .map(|(at, _)| *at)
        .collect()
}

/// Checks the intervals of all forms at a point of the domains, which may be a hole.
fn check_bounds(
    inverse: &Inverse,
    intervals: &[Interval],
    point: &[i128],
    shape: &[i128],
    parameters: &[i128],
) -> TestCaseResult {
    let mut quotients = Vec::new();
    for (form, divisor) in &inverse.quotients {
        quotients.push(floor(
            source_value(form, point, &quotients, parameters),
            divisor,
            parameters,
        ));
    }
    let forms = inverse
        .dims
        .iter()
        .chain(inverse.conditions.iter().map(|condition| match condition {
            Condition::Nonnegative(form) | Condition::BelowExtent(_, form) | Condition::Divisible(form, _) => form,
        }));
    for form in forms {
        let Some(interval) = Interval::of_form(form, intervals, &inverse.quotients) else {
            continue;
        };
        let value = source_value(form, point, &quotients, parameters);
        prop_assert!(!interval.is_nonnegative() || value.sign().expect("not lost").is_ge());
        for (dim, &extent) in shape.iter().enumerate() {
            let room = Rational::integer(extent).add(value.neg());
            prop_assert!(!interval.is_below_extent(dim) || room.sign().expect("not lost").is_gt());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn a_map_that_is_invertible_by_construction_is_inverted(
        (dims, levels) in invertible(), shape in proptest::collection::vec(0i128..6, 3), parameters in parameters(),
    ) {
        match Inverse::new(dims, &levels) {
            Ok(inverse) => check(&levels, &inverse, &shape[..dims], &parameters)?,
            // A shear by `P - 1` can leave no coefficient that is known to be nonzero.
            Err(Lossy::Dims { undecided: true, .. }) => {}
            Err(lossy) => prop_assert!(false, "refused: {lossy:?}"),
        }
    }

    #[test]
    fn a_map_that_is_accepted_is_invertible(
        levels in proptest::collection::vec(expression(2, 3), 1..5),
        shape in proptest::collection::vec(1i128..6, 2), parameters in parameters(),
    ) {
        if let Ok(inverse) = Inverse::new(2, &levels) {
            check(&levels, &inverse, &shape, &parameters)?;
        }
    }

    #[test]
    fn a_map_of_one_dim_that_is_accepted_is_invertible(
        levels in proptest::collection::vec(expression(1, 3), 1..4), extent in 1i128..12, parameters in parameters(),
    ) {
        if let Ok(inverse) = Inverse::new(1, &levels) {
            check(&levels, &inverse, &[extent], &parameters)?;
        }
    }
}

fn number(value: i128) -> Polynomial {
    Polynomial::integer(value)
}

#[test]
fn lossy_maps_are_refused() {
    let (i, j) = (|| Expression::Dim(0), || Expression::Dim(1));
    let missing = |missing: &[usize]| {
        Some(Lossy::Dims {
            missing: missing.to_vec(),
            undecided: false,
        })
    };
    assert_eq!(Inverse::new(1, &[quotient(i(), number(2))]).err(), missing(&[0]));
    assert_eq!(Inverse::new(1, &[remainder(i(), number(2))]).err(), missing(&[0]));
    assert_eq!(Inverse::new(2, &[sum(i(), j())]).err(), missing(&[0, 1]));
    assert_eq!(Inverse::new(2, &[i()]).err(), missing(&[1]));
    // The digits 4 and 8 of one dim leave out the bit between them.
    assert_eq!(
        Inverse::new(1, &[quotient(i(), number(8)), remainder(i(), number(4))]).err(),
        missing(&[0])
    );
    assert_eq!(Inverse::new(1, &[scaled(number(0), i())]).err(), missing(&[0]));
    let one_less = Polynomial::parameter(0).sub(&number(1));
    assert_eq!(
        Inverse::new(1, &[scaled(one_less, i())]).err(),
        Some(Lossy::Dims {
            missing: vec![0],
            undecided: true
        })
    );
}

#[test]
fn coefficients_that_do_not_fit_are_refused() {
    let huge = number(1 << 100);
    let levels = [
        scaled(huge.clone(), scaled(huge.clone(), Expression::Dim(0))),
        Expression::Dim(0),
    ];
    assert_eq!(Inverse::new(1, &levels).err(), Some(Lossy::TooLarge));
    // Each level fits, but the inverse does not.
    let sheared = [
        sum(Expression::Dim(0), scaled(huge.clone(), Expression::Dim(1))),
        sum(Expression::Dim(1), scaled(huge, Expression::Dim(2))),
        Expression::Dim(2),
    ];
    assert_eq!(Inverse::new(3, &sheared).err(), Some(Lossy::TooLarge));
}

#[test]
fn a_level_that_later_ones_determine_is_checked() {
    // (P - 1) i gives no information for P = 1, and must agree with i otherwise.
    let i = || Expression::Dim(0);
    let levels = [scaled(Polynomial::parameter(0).sub(&number(1)), i()), i()];
    let inverse = Inverse::new(1, &levels).expect("i is a level");
    for parameter in 1..4 {
        check(&levels, &inverse, &[5], &[parameter]).expect("conditions hold for exactly the images");
    }
}

#[test]
fn levels_fixed_by_those_above_are_found() {
    let (i, j) = (|| Expression::Dim(0), || Expression::Dim(1));
    let fixed = |dims, levels: &[Expression]| Inverse::new(dims, levels).expect("legal").fixed;
    let diagonal = sum(j(), scaled(number(-1), i()));
    assert_eq!(fixed(2, &[diagonal.clone(), i(), j()]), [false, false, true]);
    assert_eq!(fixed(2, &[sum(i(), j()), diagonal, i()]), [false, false, true]);
    assert_eq!(
        fixed(1, &[i(), quotient(i(), number(4)), remainder(i(), number(4))]),
        [false, true, true]
    );
    assert_eq!(
        fixed(1, &[quotient(i(), number(4)), i(), remainder(i(), number(4))]),
        [false, false, true]
    );
    assert_eq!(fixed(1, &[constant(5), i()]), [true, false]);
    assert_eq!(
        fixed(1, &[quotient(i(), number(4)), quotient(i(), number(12)), i()]),
        [false, true, false]
    );
    let (p, q) = (Polynomial::parameter(0), Polynomial::parameter(1));
    assert_eq!(
        fixed(1, &[quotient(i(), p.clone()), quotient(i(), p.mul(&q)), i()]),
        [false, true, false]
    );
}

#[test]
fn dims_that_multiples_of_an_equation_determine_are_recovered() {
    // i / P - i % P is (1 + P) (i / P) - i, and nothing divides by 1 + P.
    let parameter = Polynomial::parameter(0);
    let i = || Box::new(Expression::Dim(0));
    let quotient = || Expression::Quotient(i(), parameter.clone());
    let remainder = || Expression::Remainder(i(), parameter.clone());
    let digits = Expression::Sum(
        Box::new(quotient()),
        Box::new(Expression::Scaled(number(-1), Box::new(remainder()))),
    );
    let levels = [digits, *i(), remainder()];
    let inverse = Inverse::new(1, &levels).expect("`i` is a level");
    assert_eq!(inverse.fixed, [false, false, true]);
    for parameters in [[1], [2], [5]] {
        check(&levels, &inverse, &[9], &parameters).expect("the inverse");
    }
}
