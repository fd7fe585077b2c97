//! Loops as text, for golden files.

use std::fmt;

use super::{Condition, Expr, Place, Stmt, Value, Variables};

/// Loops as text, for golden files: names from the variables, two spaces a level.
pub(crate) struct Text<'a>(pub(crate) &'a [Stmt], pub(crate) &'a Variables);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_block(f, self.0, self.1, 0)
    }
}

fn write_block(f: &mut fmt::Formatter<'_>, block: &[Stmt], names: &Variables, depth: usize) -> fmt::Result {
    let show = |expr: &Expr| expr.show(names);
    let all = |exprs: &[Expr], joined: &str| -> String {
        let shown: Vec<String> = exprs.iter().map(show).collect();
        if shown.len() == 1 {
            shown[0].clone()
        } else {
            format!("{joined}({})", shown.join(", "))
        }
    };
    let value = |value: &Value| -> String {
        let mut shown = Vec::new();
        value.for_each_load(&mut |array, at| shown.push(format!("{array:?}[{}]", show(at))));
        shown.join(" * ")
    };
    for stmt in block {
        write!(f, "{:1$}", "", 2 * depth)?;
        match stmt {
            Stmt::Range(range) => {
                write!(
                    f,
                    "for {} in {}..{}",
                    names.name(range.var),
                    all(&range.lows, "max"),
                    all(&range.highs, "min")
                )?;
                match &range.stride {
                    Some((residue, modulus)) => writeln!(f, " where {} mod {}", show(residue), show(modulus))?,
                    None => writeln!(f)?,
                }
            }
            Stmt::Entries(entries) => {
                let coordinates: Vec<&str> = entries.coordinates.iter().map(|&(_, var)| names.name(var)).collect();
                let between = entries.between.as_ref();
                let piece = between.map_or(String::new(), |(low, high)| format!(" {}..{}", show(low), show(high)));
                let of = entries.parent.as_ref().map_or("the root".to_owned(), show);
                writeln!(
                    f,
                    "for {} at {} in entries{piece} of {of}",
                    coordinates.join(", "),
                    names.name(entries.position)
                )?;
            }
            Stmt::Let { var, value } => writeln!(f, "let {} = {}", names.name(*var), show(value))?,
            Stmt::Lookup { level, var, at } => {
                writeln!(f, "let {} = entry {} of level {level}", names.name(*var), show(at))?;
            }
            Stmt::If { conditions, .. } => {
                let shown: Vec<String> = conditions
                    .iter()
                    .map(|condition| match condition {
                        Condition::Nonnegative(expr) => format!("{} >= 0", show(expr)),
                        Condition::Divisible(expr, divisor) => format!("{} divides {}", show(divisor), show(expr)),
                    })
                    .collect();
                writeln!(f, "if {}", shown.join(" and "))?;
            }
            Stmt::Accumulate {
                place: Place::Sum,
                value: added,
            } => writeln!(f, "sum += {}", value(added))?,
            Stmt::Accumulate {
                place: Place::Element(array, at),
                value: added,
            } => {
                writeln!(f, "{array:?}[{}] += {}", show(at), value(added))?;
            }
            Stmt::Sum { array, at, store, .. } => {
                writeln!(f, "{array:?}[{}] {} sum of", show(at), if *store { "=" } else { "+=" })?;
            }
            Stmt::Visit { coordinate, .. } => writeln!(f, "visit {}", all(coordinate, ""))?,
        }
        write_block(f, stmt.body(), names, depth + 1)?;
    }
    Ok(())
}

impl Expr {
    /// As text.
    pub(crate) fn show(&self, variables: &Variables) -> String {
        let show = |expr: &Expr| match expr {
            Expr::Int(_) | Expr::Var(_) | Expr::Mul(..) => expr.show(variables),
            _ => format!("({})", expr.show(variables)),
        };
        match self {
            Expr::Int(value) => value.to_string(),
            Expr::Var(var) => variables.name(*var).to_owned(),
            Expr::Add(a, b) => format!("{} + {}", a.show(variables), show(b)),
            Expr::Sub(a, b) => format!("{} - {}", a.show(variables), show(b)),
            Expr::Mul(a, b) => format!("{} * {}", show(a), show(b)),
            Expr::Floor(a, b) => format!("floor({} / {})", show(a), show(b)),
            Expr::Ceil(a, b) => format!("ceil({} / {})", show(a), show(b)),
        }
    }
}
