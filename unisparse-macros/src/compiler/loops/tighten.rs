//! Turns conditions that are linear in a loop's variable into bounds of the loop. Without branches, the loop can
//! vectorise.

use super::{Condition, Expr, Range, Stmt, Variables};

/// Tightens every range loop of the block.
pub(crate) fn tighten(block: Vec<Stmt>, variables: &Variables) -> Vec<Stmt> {
    block.into_iter().map(|stmt| tighten_stmt(stmt, variables)).collect()
}

fn tighten_stmt(stmt: Stmt, variables: &Variables) -> Stmt {
    match stmt {
        Stmt::Range(range) => Stmt::Range(tighten_range(range, variables)),
        stmt => stmt.map_body(|body| tighten(body, variables)),
    }
}

fn tighten_range(mut range: Range, variables: &Variables) -> Range {
    // If the body is a single condition, nothing else depends on the full range.
    if let [Stmt::If { .. }] = range.body.as_slice() {
        let Some(Stmt::If { conditions, body }) = range.body.pop() else {
            unreachable!("matched above")
        };
        let mut left = Vec::new();
        for condition in conditions {
            if !absorb(&mut range, &condition, variables) {
                left.push(condition);
            }
        }
        range.body = if left.is_empty() {
            body
        } else {
            vec![Stmt::If { conditions: left, body }]
        };
    }
    range.body = tighten(range.body, variables);
    range
}

/// Makes the condition part of the loop's bounds. Returns false if its form does not allow it.
fn absorb(range: &mut Range, condition: &Condition, variables: &Variables) -> bool {
    match condition {
        Condition::Nonnegative(expr) => {
            let Some((factor, rest)) = expr.split(range.var) else {
                return false;
            };
            let one = Expr::Int(1);
            if let Some(factor) = positive(&factor, variables) {
                // factor * var + rest >= 0: var >= ceil(-rest / factor) = -floor(rest / factor)
                bound_below(range, rest.floor(factor).neg(), variables);
            } else if let Some(factor) = positive(&factor.neg(), variables) {
                // var <= floor(rest / factor)
                range.highs.push(rest.floor(factor).add(one));
            } else {
                return false;
            }
            true
        }
        Condition::Zero(expr) => {
            // var + rest, or rest - var, is zero: the loop has at most one iteration.
            let only = match expr.split(range.var) {
                Some((Expr::Int(1), rest)) => rest.neg(),
                Some((Expr::Int(-1), rest)) => rest,
                _ => return false,
            };
            range.highs.push(only.clone().add(Expr::Int(1)));
            bound_below(range, only, variables);
            true
        }
        Condition::Nonzero { .. } | Condition::Missing(_) => false,
        Condition::Divisible(expr, modulus) => {
            if range.stride.is_some() {
                return false;
            }
            // var + rest, or rest - var, is a multiple: var is congruent to -rest, or to rest.
            let residue = match expr.split(range.var) {
                Some((Expr::Int(1), rest)) => rest.neg(),
                Some((Expr::Int(-1), rest)) => rest,
                _ => return false,
            };
            range.stride = Some((residue, modulus.clone()));
            true
        }
    }
}

fn bound_below(range: &mut Range, low: Expr, variables: &Variables) {
    range.lows.push(low);
    range.lows.dedup();
    if range.lows.len() > 1 {
        range
            .lows
            .retain(|low| *low != Expr::zero() || !variables.is_natural(range.var));
    }
}

/// Returns the expression if it is provably positive: a positive literal, or a const parameter.
fn positive(factor: &Expr, variables: &Variables) -> Option<Expr> {
    match factor {
        Expr::Int(value) if *value > 0 => Some(factor.clone()),
        Expr::Var(_) if factor.is_natural(variables) => Some(factor.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Array, Text, Value};
    use super::*;

    /// `for v in 0..n` around conditions made of `v`, `n`, a parameter `b` and a signed `d`, tightened, as text.
    fn tightened(natural: bool, conditions: impl FnOnce([Expr; 4]) -> Vec<Condition>) -> String {
        let mut variables = Variables::default();
        let b = Expr::Var(variables.parameter("b"));
        let n = Expr::Var(variables.fresh("n", true));
        let d = Expr::Var(variables.fresh("d", false));
        let var = variables.fresh("v", natural);
        let conditions = conditions([Expr::Var(var), n.clone(), b, d]);
        let body = vec![Stmt::Visit {
            coordinate: vec![Expr::Var(var)],
            value: Value::Load(Array::Values(0), Expr::Var(var)),
            holes: false,
        }];
        let body = vec![Stmt::If { conditions, body }];
        let range = Range {
            level: None,
            var,
            lows: vec![Expr::zero()],
            highs: vec![n],
            stride: None,
            nonempty: None,
            slices: None,
            body,
        };
        Text::numbered(&tighten(vec![Stmt::Range(range)], &variables), &variables)
    }

    fn times(factor: i128, expr: Expr) -> Expr {
        Expr::Int(factor).mul(expr)
    }

    #[test]
    fn conditions_on_the_variable_become_bounds() {
        // The zero bound of a natural variable is dropped, because it is implied.
        let text = tightened(true, |[v, n, _, d]| {
            vec![
                Condition::Nonnegative(v.clone().add(d.clone())),
                Condition::Nonnegative(n.sub(v).sub(d)),
            ]
        });
        assert_eq!(text, "for v in max(0, -d)..min(n, n - d + 1)\n  visit (v)\n");
        let text = tightened(false, |[v, _, _, d]| vec![Condition::Nonnegative(v.add(d))]);
        assert_eq!(text, "for v in max(0, -d)..n\n  visit (v)\n");
    }

    #[test]
    fn a_positive_factor_rounds_inwards() {
        // 3 v + d >= 0 and d - b v >= 0
        let text = tightened(false, |[v, _, b, d]| {
            vec![
                Condition::Nonnegative(times(3, v.clone()).add(d.clone())),
                Condition::Nonnegative(d.sub(b.mul(v))),
            ]
        });
        assert_eq!(
            text,
            "for v in max(0, -floor(d / 3))..min(n, floor(d / b) + 1)\n  visit (v)\n"
        );
    }

    #[test]
    fn a_divisibility_becomes_a_stride() {
        let text = tightened(false, |[v, _, b, d]| {
            vec![
                Condition::Divisible(d.clone().sub(v.clone()), b),
                Condition::Divisible(v.sub(d), Expr::Int(2)),
            ]
        });
        // A loop has one stride, so the second divisibility stays a condition.
        assert_eq!(
            text,
            "for v in 0..n where v mod b = d\n  if 2 divides v - d\n    visit (v)\n"
        );
    }

    #[test]
    fn what_is_not_linear_or_has_no_known_sign_stays() {
        let text = tightened(true, |[v, n, b, d]| {
            vec![
                Condition::Nonnegative(d.clone().mul(v.clone())),
                Condition::Nonnegative(v.clone().floor(b).sub(d.clone())),
                Condition::Nonnegative(n.sub(d)),
                Condition::Divisible(times(2, v), Expr::Int(3)),
            ]
        });
        let kept = "  if d * v >= 0 and d <= floor(v / b) and d <= n and 3 divides 2 * v\n";
        assert_eq!(text, format!("for v in 0..n\n{kept}    visit (v)\n"));
    }
}
