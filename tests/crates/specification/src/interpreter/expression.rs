//! Expressions: their values, and the intervals of their values.

/// The meaning of a name in an expression.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Name {
    Dim(usize),
    Parameter(usize),
    Query(usize),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    Number(i64),
    Name(Name),
    Op(char, Box<Expr>, Box<Expr>),
}

/// The least and the greatest value; `None` if a query determines it.
pub type Interval = (Option<i64>, Option<i64>);

pub fn apply(operator: char, left: i64, right: i64) -> i64 {
    match operator {
        '+' => left + right,
        '-' => left - right,
        '*' => left * right,
        '/' => left.div_euclid(right),
        '%' => left.rem_euclid(right),
        _ => panic!("operator {operator}"),
    }
}

impl Expr {
    pub fn eval(&self, of: &dyn Fn(Name) -> i64) -> i64 {
        match self {
            Expr::Number(number) => *number,
            Expr::Name(name) => of(*name),
            Expr::Op(operator, left, right) => apply(*operator, left.eval(of), right.eval(of)),
        }
    }

    /// Interval arithmetic. A remainder takes all of its range.
    pub fn interval(&self, of: &dyn Fn(Name) -> Interval) -> Interval {
        let (operator, left, right) = match self {
            Expr::Number(number) => return (Some(*number), Some(*number)),
            Expr::Name(name) => return of(*name),
            Expr::Op(operator, left, right) => (*operator, left.interval(of), right.interval(of)),
        };
        let both = |a: Option<i64>, b: Option<i64>| Some(apply(operator, a?, b?));
        match operator {
            '+' => (both(left.0, right.0), both(left.1, right.1)),
            '-' => (both(left.0, right.1), both(left.1, right.0)),
            '%' => (Some(0), right.1.map(|by| by - 1)),
            '/' => (both(left.0, right.0), both(left.1, right.0)),
            _ => {
                let single = |range: Interval| range.0.filter(|_| range.0 == range.1);
                let (factor, range) = single(left).map_or((single(right), left), |factor| (Some(factor), right));
                let factor = factor.expect("a product has a constant factor");
                let (lo, hi) = (range.0.map(|lo| lo * factor), range.1.map(|hi| hi * factor));
                if factor < 0 { (hi, lo) } else { (lo, hi) }
            }
        }
    }

    /// Visits the expression and all within it.
    pub fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a Expr)) {
        see(self);
        if let Expr::Op(_, left, right) = self {
            left.visit(see);
            right.visit(see);
        }
    }

    pub fn mentions(&self, what: &dyn Fn(Name) -> bool) -> bool {
        let mut found = false;
        self.visit(&mut |part| found |= matches!(part, Expr::Name(name) if what(*name)));
        found
    }
}
