//! Loops as text, for golden files.

use std::fmt;

use super::{
    Bind, Condition, Expr, Found, Level, Literal, Nonempty, Ownership, Place, Prefetch, Reduction, Segment, Stmt,
    Target, Value, Variables,
};

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
    let value = |value: &Value| value.show(names);
    let segment = |segment: &Segment| match segment {
        Segment::All => "the root".to_owned(),
        Segment::Of(parent) => show(parent),
        Segment::Between(low, high) => format!("{}..{}", show(low), show(high)),
        Segment::Run(range) => names.name(*range).to_owned(),
        Segment::Below(range) => format!("below {}", names.name(*range)),
    };
    let condition = |condition: &Condition| match condition {
        Condition::Nonnegative(expr) => format!("{} >= 0", show(expr)),
        Condition::Zero(expr) => format!("{} = 0", show(expr)),
        Condition::Divisible(expr, divisor) => format!("{} divides {}", show(divisor), show(expr)),
        Condition::Nonzero { array, at, negated } => {
            format!("{array:?}[{}] is {}zero", show(at), if *negated { "" } else { "not " })
        }
        Condition::Missing(number) => format!("maybe {number} is missing"),
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
                if let Some((residue, modulus)) = &range.stride {
                    write!(f, " where {} mod {}", show(residue), show(modulus))?;
                }
                if let Some(Nonempty { level, .. }) = &range.nonempty {
                    write!(f, " that have entries of {level}")?;
                }
                writeln!(f)?;
            }
            Stmt::Entries(entries) => {
                let coordinates: Vec<&str> = entries.coordinates.iter().map(|&(_, var)| names.name(var)).collect();
                write!(
                    f,
                    "for {} at {} in entries of {}",
                    coordinates.join(", "),
                    names.name(entries.position),
                    segment(&entries.within)
                )?;
                for Bind { var, value: load } in &entries.loads {
                    write!(f, ", {} = {}", names.name(*var), value(load))?;
                }
                match &entries.prefetch {
                    Some(Prefetch::Rows { width, rows, .. }) => {
                        let rows: Vec<String> = rows
                            .iter()
                            .map(|(array, at)| format!("{array:?}[{}]", show(at)))
                            .collect();
                        writeln!(f, ", prefetch {} from {}", names.name(*width), rows.join(", "))?;
                    }
                    Some(Prefetch::Segments(segments)) => {
                        let parents: Vec<String> = segments.iter().map(|(_, parent)| show(parent)).collect();
                        writeln!(f, ", prefetch entries of {}", parents.join(", "))?;
                    }
                    None => writeln!(f)?,
                }
            }
            Stmt::Merge(merge) => {
                let legs: Vec<String> = merge
                    .legs
                    .iter()
                    .map(|leg| format!("{} in {} of {}", names.name(leg.at), leg.level, segment(&leg.within)))
                    .collect();
                let joined = if merge.union { " or " } else { " and " };
                writeln!(f, "for {} at {}", names.name(merge.coordinate), legs.join(joined))?;
            }
            Stmt::Parallel(parallel) => {
                let owned = match &parallel.ownership {
                    Ownership::Owned(stride) => format!("each position owns {}", show(stride)),
                    Ownership::Windows(stride) => format!("each position owns {} that it looks up", show(stride)),
                    Ownership::Ascending { level, stride, .. } => {
                        format!("each coordinate of {level} owns {}", show(stride))
                    }
                    Ownership::Shared { stores: false } => "any position adds to any element".to_owned(),
                    Ownership::Shared { stores: true } => "any position stores any element".to_owned(),
                    Ownership::Each => "each piece gives a result of its own".to_owned(),
                };
                let pieces = match &parallel.piece {
                    Some(piece) => format!(" in pieces {}..{}", names.name(piece.from), names.name(piece.to)),
                    None => String::new(),
                };
                let balance = match parallel.balance {
                    Some(tensor) => format!(", balanced by tensor {tensor}"),
                    None => String::new(),
                };
                let split = match parallel.split {
                    Some(level) => format!(", entries of {level} are split"),
                    None => String::new(),
                };
                writeln!(f, "parallel{pieces}: {owned}{balance}{split}")?;
            }
            Stmt::Parts { tensor, .. } => writeln!(f, "for each part of {tensor}")?,
            Stmt::Let { var, value } => writeln!(f, "let {} = {}", names.name(*var), show(value))?,
            Stmt::Bind(bind) => writeln!(f, "let {} = {}", names.name(bind.var), value(&bind.value))?,
            Stmt::Lookup { level, var, at, .. } => {
                writeln!(
                    f,
                    "let {} = entry {} of level {}",
                    names.name(*var),
                    show(at),
                    level.level
                )?;
            }
            Stmt::First { level, within, to, .. } => {
                writeln!(
                    f,
                    "with the first {} in {level} of {}",
                    names.name(*to),
                    segment(within)
                )?;
            }
            Stmt::Open { finder, level, within } => {
                writeln!(f, "search {} in {level} of {}", names.name(*finder), segment(within))?;
            }
            Stmt::Between {
                level,
                within,
                lows,
                highs,
                to,
            } => {
                let (lows, highs) = (all(lows, "max"), all(highs, "min"));
                let within = segment(within);
                writeln!(f, "let {} = {lows}..{highs} in {level:?} of {within}", names.name(*to))?;
            }
            Stmt::Find(find) => {
                let found: Vec<&str> = find.found.vars().into_iter().map(|var| names.name(var)).collect();
                let any = if matches!(find.found, Found::Any { .. }) {
                    ", or none"
                } else {
                    ""
                };
                writeln!(
                    f,
                    "at {} where {} is {}{any}",
                    found.join(".."),
                    names.name(find.finder),
                    show(&find.coordinate)
                )?;
            }
            Stmt::Step {
                from, size, offset, to, ..
            } => {
                let (from, to) = (names.name(*from), names.name(*to));
                writeln!(f, "let {to} = {from} * {} + {}", show(size), show(offset))?;
            }
            Stmt::If { conditions, .. } => {
                let shown: Vec<String> = conditions.iter().map(condition).collect();
                writeln!(f, "if {}", shown.join(" and "))?;
            }
            Stmt::Accumulate {
                place,
                reduction,
                value: added,
            } => {
                let place = match place {
                    Place::Sum => "sum".to_owned(),
                    Place::Element(array, at) => format!("{array:?}[{}]", show(at)),
                    Place::Output(coordinate) => format!("output{}", all(coordinate, "")),
                    Place::Scattered(coordinate) => format!("scattered{}", all(coordinate, "")),
                    Place::Fiber(at) => format!("fiber[{}]", show(at)),
                    Place::Maybe(number) => format!("maybe {number}"),
                };
                writeln!(f, "{place} {} {}", reduction.show(), value(added))?;
            }
            Stmt::Tiles(tiles) => {
                let (var, width) = (names.name(tiles.var), names.name(tiles.width));
                let operator = if tiles.store { "=" } else { tiles.reduction.show() };
                if let Some(rows) = &tiles.rows {
                    let (var, count) = (names.name(rows.var), names.name(rows.count));
                    let (lows, highs) = (all(&rows.lows, "max"), all(&rows.highs, "min"));
                    write!(f, "for {count} rows from {var} in {lows}..{highs}, ")?;
                }
                let at = match &tiles.through {
                    Some(through) => {
                        let (at, first) = (show(&tiles.at), show(&through.first));
                        format!("entry {at} of level {} from {first} on", through.level.level)
                    }
                    None => show(&tiles.at),
                };
                writeln!(
                    f,
                    "for tiles of {width} from {var} in {}..{}: {:?}[{at}] {operator} sums of",
                    all(&tiles.lows, "max"),
                    all(&tiles.highs, "min"),
                    tiles.array,
                )?;
            }
            Stmt::Sum {
                into,
                reduction,
                unrolled,
                ..
            } => match into {
                Target::Element { array, at, store } => {
                    let operator = if *store { "=" } else { reduction.show() };
                    let unrolled = if *unrolled { ", unrolled" } else { "" };
                    writeln!(f, "{array:?}[{}] {operator} sum of{unrolled}", show(at))?;
                }
                Target::Output { coordinate, sure } => {
                    let sure = if *sure { "" } else { ", if any" };
                    let unrolled = if *unrolled { ", unrolled" } else { "" };
                    writeln!(f, "append at {} the sum of{sure}{unrolled}", all(coordinate, ""))?;
                }
                Target::Total => {
                    let unrolled = if *unrolled { ", unrolled" } else { "" };
                    writeln!(f, "total {} sum of{unrolled}", reduction.show())?;
                }
            },
            Stmt::Fill { array, at, count } => {
                writeln!(f, "{array:?}[{}] and {} in all are zero", show(at), show(count))?;
            }
            Stmt::Maybe { number, .. } => writeln!(f, "maybe {number}")?,
            Stmt::Fiber { outer, extents, .. } => {
                writeln!(f, "append a fiber of {} at {}", all(extents, ""), all(outer, ""))?;
            }
            Stmt::Visit { coordinate, .. } => writeln!(f, "visit {}", all(coordinate, ""))?,
        }
        write_block(f, stmt.body(), names, depth + 1)?;
    }
    Ok(())
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "level {} of tensor {}", self.level, self.tensor)
    }
}

impl Reduction {
    fn show(self) -> &'static str {
        match self {
            Reduction::Plus => "+=",
            Reduction::Min => "min=",
            Reduction::Max => "max=",
            Reduction::Or => "|=",
            Reduction::And => "&=",
        }
    }
}

impl Value {
    /// As text.
    pub(crate) fn show(&self, variables: &Variables) -> String {
        let all = |values: &[Value], joined: &str| -> String {
            let shown: Vec<String> = values.iter().map(|value| value.show(variables)).collect();
            shown.join(joined)
        };
        match self {
            Value::Load(array, at) => format!("{array:?}[{}]", at.show(variables)),
            Value::Maybe(number) => format!("maybe {number}"),
            Value::AtPosition { tensor, position } => format!("Values({tensor})[{}]?", position.show(variables)),
            Value::At { tensor, range, .. } => format!("Values({tensor})[{}]?", variables.name(*range)),
            Value::Scalar(number) => format!("Scalar({number})"),
            Value::Literal(Literal::Integer(number)) => number.to_string(),
            Value::Literal(Literal::Float(number)) => format!("{number:?}"),
            Value::Coordinate(at) => format!("coordinate {}", at.show(variables)),
            Value::Bound(var) => variables.name(*var).to_owned(),
            Value::Negated(value) => format!("-({})", value.show(variables)),
            Value::Product(values) => all(values, " * "),
            Value::Sum(values) => format!("({})", all(values, " + ")),
            Value::Or(values) => format!("({})", all(values, " | ")),
            Value::And(values) => all(values, " & "),
            Value::Call(function, values) => format!("function {function}({})", all(values, ", ")),
        }
    }
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
