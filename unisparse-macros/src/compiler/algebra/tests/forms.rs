//! Tests of normal forms and intervals against the expressions from which they are computed.

use proptest::prelude::*;

use super::super::{Expression, Interval, Polynomial, Rational};
use super::maps::{constant, divisor, expression, parameters, quotient, remainder, scaled, sum};
use super::{config, coordinates_of, form_value, range};

fn number(value: i128) -> Polynomial {
    Polynomial::integer(value)
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn the_normal_form_has_the_value_of_the_expression(
        expression in expression(3, 4), dims in proptest::collection::vec(-30i128..31, 3), parameters in parameters(),
    ) {
        let value = Rational::integer(expression.evaluate(&dims, &parameters).expect("small"));
        prop_assert_eq!(form_value(&expression.linear(), &dims, &parameters), value);
    }

    #[test]
    fn an_interval_bounds_its_expression(
        expression in expression(2, 3), shape in proptest::collection::vec(1i128..7, 2), parameters in parameters(),
    ) {
        let Some(interval) = Interval::of(&expression) else { return Ok(()) };
        let (lo, hi) = range(&interval, &shape, &parameters);
        for coordinate in coordinates_of(&shape) {
            let value = expression.evaluate(&coordinate, &parameters).expect("small");
            prop_assert!(lo <= value && value <= hi, "{value} is not in {lo}..={hi}");
            prop_assert!(!interval.is_nonnegative() || value >= 0);
            for (dim, &extent) in shape.iter().enumerate() {
                prop_assert!(!interval.is_below_extent(dim) || value < extent);
            }
        }
        // The properties concern the bounds, so they hold for coordinates of holes too.
        prop_assert!(!interval.is_nonnegative() || lo >= 0);
        for (dim, &extent) in shape.iter().enumerate() {
            prop_assert!(!interval.is_below_extent(dim) || hi < extent);
        }
        let (known_lo, known_hi) = interval.known();
        prop_assert!(known_lo.is_none_or(|known| known == lo) && known_hi.is_none_or(|known| known == hi));
    }

    #[test]
    fn multiples_of_the_divisor_leave_the_quotient(
        inner in expression(2, 2), other in expression(2, 2), divisor in divisor(),
    ) {
        // (e + f g) / f = e / f + g, and the remainder is the same.
        let shifted = sum(inner.clone(), scaled(divisor.clone(), other.clone()));
        let apart = sum(quotient(inner.clone(), divisor.clone()), other);
        prop_assert_eq!(quotient(shifted.clone(), divisor.clone()).linear(), apart.linear());
        prop_assert_eq!(remainder(shifted, divisor.clone()).linear(), remainder(inner, divisor).linear());
    }

    #[test]
    fn nested_quotients_collapse(constant in -20i128..21, f in divisor(), g in divisor()) {
        let inner = sum(Expression::Dim(0), Expression::Constant(number(constant)));
        let nested = quotient(quotient(inner.clone(), f.clone()), g.clone());
        prop_assert_eq!(nested.linear(), quotient(inner.clone(), f.mul(&g)).linear());
        // (e % (f g)) / f = (e / f) % g
        let digit = quotient(remainder(inner.clone(), f.mul(&g)), f.clone());
        prop_assert_eq!(digit.linear(), remainder(quotient(inner, f), g).linear());
    }

    #[test]
    fn quotient_and_remainder_add_up(inner in expression(2, 3), f in divisor()) {
        let whole = sum(scaled(f.clone(), quotient(inner.clone(), f.clone())), remainder(inner.clone(), f));
        prop_assert_eq!(whole.linear(), inner.linear());
    }
}

#[test]
fn known_digits_have_one_normal_form() {
    let i = || Expression::Dim(0);
    let equal = |left: Expression, right: Expression| assert_eq!(left.linear(), right.linear());
    equal(
        quotient(remainder(i(), number(16)), number(4)),
        remainder(quotient(i(), number(4)), number(4)),
    );
    equal(quotient(constant(7), number(4)), constant(1));
    equal(remainder(constant(-1), number(4)), constant(3));
    equal(
        remainder(remainder(i(), number(12)), number(4)),
        remainder(i(), number(4)),
    );
    equal(quotient(sum(i(), constant(-3)), number(1)), sum(i(), constant(-3)));
    let parameter = Polynomial::parameter(0);
    equal(
        remainder(remainder(i(), number(3).mul(&parameter)), parameter.clone()),
        remainder(i(), parameter.clone()),
    );
    // (i + P + 1) / P = (i + 1) / P + 1
    let above = sum(i(), Expression::Constant(parameter.add(&number(1))));
    let below = sum(quotient(sum(i(), constant(1)), parameter.clone()), constant(1));
    equal(quotient(above, parameter), below);
}
