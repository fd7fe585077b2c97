//! Plans between random encodings end in the target.

use proptest::prelude::*;

use super::expression::{Expression, Unknown};
use super::operator::{LevelState, State};
use super::{Factor, Operator, operators};

const DIMS: [&str; 3] = ["i", "j", "k"];

fn dim(dim: usize) -> Expression {
    Expression::unknown(Unknown::Dim(dim))
}

fn state(levels: Vec<LevelState>, packs: Vec<(usize, usize)>, partition: Option<usize>) -> State {
    let mut state = State {
        levels,
        vector: None,
        packs,
        partition,
        sorted: true,
    };
    state.vector = Some(state.tail()).filter(|&tail| tail < state.levels.len());
    state
}

/// Generates index maps from the dims by a few invertible changes, in any order and with any primitives.
fn states(dims: usize) -> impl Strategy<Value = State> {
    let change = (0u8..6, 0usize..8, 0usize..8, -3i128..4);
    let flags = prop::collection::vec((any::<bool>(), any::<bool>()), 12);
    let layout = (prop::option::of(0usize..3), any::<bool>());
    (prop::collection::vec(change, 0..6), flags, layout).prop_map(move |(changes, flags, (partition, pack))| {
        let mut levels: Vec<Expression> = (0..dims).map(dim).collect();
        for (what, i, j, number) in changes {
            let (i, j) = (i % levels.len(), j % levels.len());
            match what {
                0 => levels.swap(i, j),
                1 if i != j => levels[i] = levels[i].plus_times(&levels[j], number).unwrap(),
                2 if number != 0 => levels[i] = levels[i].plus_times(&levels[i], number.abs()).unwrap(),
                3 if levels.len() < 8 => {
                    let factor = number.abs() + 1;
                    let quotient = levels[i].quotient(factor).unwrap();
                    let remainder = levels[i].plus_times(&quotient, -factor).unwrap();
                    levels[i] = quotient;
                    levels.insert(j, remainder);
                }
                // A level that the others determine.
                4 if levels.len() < 8 => levels.insert(j, levels[i].quotient(2).unwrap()),
                5 => levels[i] = levels[i].plus_times(&Expression::constant(number), 1).unwrap(),
                _ => {}
            }
        }
        let levels = levels.into_iter().zip(flags);
        let levels = levels.map(|(expression, (trimmed, merged))| LevelState {
            trimmed,
            merged,
            ..LevelState::flat(expression)
        });
        state(
            levels.collect(),
            if pack { vec![(0, 1)] } else { Vec::new() },
            partition,
        )
    })
}

fn text(steps: &[(Operator, Option<u8>)]) -> String {
    steps
        .iter()
        .map(|(operator, _)| operator.to_string())
        .collect::<Vec<_>>()
        .join(" ")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]
    #[test]
    fn any_encoding_becomes_any_other(source in states(2), target in states(2)) {
        let builder = operators(source, target.clone(), &DIMS[..2], &[]).unwrap();
        prop_assert_eq!(builder.state, target, "{}", text(&builder.steps));
    }

    #[test]
    fn of_three_dims_too(source in states(3), target in states(3)) {
        let builder = operators(source, target.clone(), &DIMS, &[]).unwrap();
        prop_assert_eq!(builder.state, target, "{}", text(&builder.steps));
    }

    /// Normal forms have the values of the expressions.
    #[test]
    fn quotients_are_rounded_down(a in -9i128..10, b in -9i128..10, c in -20i128..20, f in 1i128..7, g in 1i128..7, i in 0i64..50, j in 0i64..50) {
        let form = Expression::constant(c).plus_times(&dim(0), a).unwrap().plus_times(&dim(1), b).unwrap();
        let nested = form.quotient(f).unwrap().plus_times(&dim(0), 3).unwrap().quotient(g).unwrap();
        let (i128, j128) = (i128::from(i), i128::from(j));
        let expected = ((c + a * i128 + b * j128).div_euclid(f) + 3 * i128).div_euclid(g);
        prop_assert_eq!(nested.evaluate(&[i, j], &[]), Some(expected));
    }
}

/// A map whose matrix has no integral inverse: the intermediate levels stay integral.
#[test]
fn a_map_of_determinant_two_is_undone_in_whole_numbers() {
    let sum = dim(0).plus_times(&dim(1), 1).unwrap();
    let difference = dim(1).plus_times(&dim(0), -1).unwrap();
    let flat = |levels: [Expression; 2]| state(levels.into_iter().map(LevelState::flat).collect(), Vec::new(), None);
    let builder = operators(flat([sum, difference]), flat([dim(0), dim(1)]), &DIMS[..2], &[]).unwrap();
    assert_eq!(text(&builder.steps), "Skew(0, 1, 1) Scale(1, 1/2) Skew(1, 0, -1) Sort");
}

#[test]
fn what_is_no_matrix_is_computed() {
    let mixed = dim(1).plus_times(&dim(0).quotient(2).unwrap(), 1).unwrap();
    let flat = |levels: Vec<Expression>| state(levels.into_iter().map(LevelState::flat).collect(), Vec::new(), None);
    let (plain, sheared) = (flat(vec![dim(0), dim(1)]), flat(vec![dim(0), mixed]));
    let there = operators(plain.clone(), sheared.clone(), &DIMS[..2], &[]).unwrap();
    assert_eq!(text(&there.steps), "Compute(2, j + i / 2) Drop(1) Sort");
    let back = operators(sheared, plain, &DIMS[..2], &[]).unwrap();
    assert_eq!(text(&back.steps), "Compute(2, i) Compute(3, j) Drop(1) Drop(0) Sort");
}

#[test]
fn factors_are_in_lowest_terms() {
    let half = Factor::new(3, -6).unwrap();
    assert_eq!(
        (half.to_string(), half.inverse().unwrap().to_string()),
        ("-1/2".to_owned(), "-2".to_owned())
    );
    assert_eq!((Factor::new(1, 0), Factor::new(0, 5)), (None, Some(Factor::ZERO)));
    assert_eq!(Factor::integer(i128::MAX).plus(Factor::ONE), None);
}
