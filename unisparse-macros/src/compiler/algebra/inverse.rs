//! Inverts index maps: logical coordinates from level coordinates (docs/LANGUAGE.md, Index map).

use super::system::{Source, System};
use super::{Atom, Expression, Linear, Polynomial};

/// A condition on level coordinates that have a logical coordinate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Condition {
    /// The form is at least zero.
    Nonnegative(Linear<Source>),
    /// The form is below the extent of the dim.
    BelowExtent(usize, Linear<Source>),
    /// The form is a multiple of the divisor.
    Divisible(Linear<Source>, Polynomial),
}

/// The logical coordinates as functions of the level coordinates.
#[derive(Clone, Debug)]
pub(crate) struct Inverse {
    /// Whether the levels above determine each level.
    pub(crate) fixed: Vec<bool>,
    /// The form of each dim in level coordinates. Coefficients may be fractions: see the conditions.
    pub(crate) dims: Vec<Linear<Source>>,
    /// Quotients of known forms by divisors. Each quotient uses only earlier ones.
    pub(crate) quotients: Vec<(Linear<Source>, Polynomial)>,
    /// The conditions that hold for the coordinates of every element, and fail for a hole outside the tensor.
    pub(crate) conditions: Vec<Condition>,
}

/// The reason why there is no inverse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Lossy {
    /// These dims are not determined; `undecided` if only an unknown parameter prevents it.
    Dims { missing: Vec<usize>, undecided: bool },
    /// A coefficient exceeds the range of exact arithmetic.
    TooLarge,
}

impl Inverse {
    /// Inverts the map from `dims` dims to these levels.
    #[cfg(test)]
    pub(crate) fn new(dims: usize, levels: &[Expression]) -> Result<Self, Lossy> {
        Self::of_levels(dims, &levels.iter().map(Some).collect::<Vec<_>>())
    }

    /// Inverts the map from `dims` dims to these levels. A level that is `None` gives no information.
    pub(crate) fn of_levels(dims: usize, levels: &[Option<&Expression>]) -> Result<Self, Lossy> {
        let forms: Vec<Option<Linear<Atom>>> = levels.iter().map(|level| level.map(Expression::linear)).collect();
        let known: Vec<Linear<Atom>> = forms.iter().flatten().cloned().collect();
        let quotients = quotients_in(&known);
        let mut equations = Equations::new(quotients);
        let mut atoms: Vec<Atom> = (0..dims).map(Atom::Dim).collect();
        atoms.extend(equations.all.clone());
        equations.close();
        let mut fixed = Vec::new();
        for (level, form) in forms.iter().enumerate() {
            let Some(form) = form else {
                fixed.push(false);
                continue;
            };
            fixed.push(equations.system.express(form).is_some());
            if !fixed[level] {
                equations.system.insert(form, &Linear::variable(Source::Level(level)));
                equations.close();
            }
        }
        let dims_known: Vec<_> = (0..dims)
            .map(|dim| equations.system.express(&Linear::variable(Atom::Dim(dim))))
            .collect();
        if equations.system.is_lost()
            || dims_known.iter().flatten().any(Linear::is_lost)
            || known.iter().any(Linear::is_lost)
        {
            return Err(Lossy::TooLarge);
        }
        if dims_known.iter().any(Option::is_none) || equations.system.is_stuck() {
            let missing = (0..dims).filter(|&dim| dims_known[dim].is_none()).collect();
            return Err(Lossy::Dims {
                missing,
                undecided: equations.system.is_stuck(),
            });
        }
        // The coordinates of a hole can give fractions, but every atom must be an integer.
        for atom in &atoms {
            equations.demand_integer(atom);
        }
        for form in equations.system.agreements() {
            equations.conditions.push(Condition::Nonnegative(form.clone()));
            equations.conditions.push(Condition::Nonnegative(form.neg()));
        }
        let dims: Vec<Linear<Source>> = dims_known.into_iter().flatten().collect();
        for (dim, value) in dims.iter().enumerate() {
            equations.conditions.push(Condition::Nonnegative(value.clone()));
            equations.conditions.push(Condition::BelowExtent(dim, value.clone()));
        }
        let inverse = Inverse {
            fixed,
            dims,
            quotients: equations.quotients,
            conditions: equations.conditions,
        };
        if inverse.is_lost() {
            Err(Lossy::TooLarge)
        } else {
            Ok(inverse)
        }
    }

    /// Whether a form, after scaling to the integral form that loops compute, exceeds the range of exact arithmetic.
    fn is_lost(&self) -> bool {
        let lost = |form: &Linear<Source>| form.scale(&form.denominator()).is_lost();
        let quotient =
            |(form, divisor): &(Linear<Source>, Polynomial)| lost(form) || divisor.mul(&form.denominator()).is_lost();
        let condition = |condition: &Condition| match condition {
            Condition::Nonnegative(form) | Condition::BelowExtent(_, form) => lost(form),
            Condition::Divisible(form, divisor) => lost(form) || divisor.is_lost(),
        };
        self.dims.iter().any(lost) || self.quotients.iter().any(quotient) || self.conditions.iter().any(condition)
    }
}

/// The dividend of a quotient: the floor quotient of `value` by `divisor`, plus `multiple`, whose atoms may be unknown.
struct Dividend {
    value: Linear<Source>,
    multiple: Linear<Atom>,
    divisor: Polynomial,
}

/// The equations so far, and the quotients that are not used yet.
pub(super) struct Equations {
    pub(super) system: System,
    all: Vec<Atom>,
    open: Vec<Atom>,
    pub(super) quotients: Vec<(Linear<Source>, Polynomial)>,
    pub(super) conditions: Vec<Condition>,
}

impl Equations {
    /// Starts without an equation, with these quotients to use.
    pub(super) fn new(quotients: Vec<Atom>) -> Self {
        Equations {
            system: System::default(),
            all: quotients.clone(),
            open: quotients,
            quotients: Vec::new(),
            conditions: Vec::new(),
        }
    }

    /// Adds the condition that the atom is an integer, if its value follows. Returns whether it does.
    pub(super) fn demand_integer(&mut self, atom: &Atom) -> bool {
        let Some(value) = self.system.express(&Linear::variable(atom.clone())) else {
            return false;
        };
        let denominator = value.denominator();
        if denominator != Polynomial::one() {
            self.conditions
                .push(Condition::Divisible(value.scale(&denominator), denominator));
        }
        true
    }

    /// Uses every quotient whose dividend is known by now: computes it, or, if the levels already determine it, adds
    /// the conditions that both agree.
    pub(super) fn close(&mut self) {
        while let Some((
            at,
            Dividend {
                value,
                multiple,
                divisor,
            },
        )) = self.next()
        {
            let form = Linear::variable(self.open.remove(at)).sub(&multiple);
            if let Some(quotient) = self.system.express(&form) {
                let rest = value.sub(&quotient.scale(&divisor));
                let room = Linear::constant(divisor.sub(&Polynomial::one())).sub(&rest);
                self.conditions.push(Condition::Nonnegative(rest));
                self.conditions.push(Condition::Nonnegative(room));
            } else {
                let source = Source::Quotient(self.quotients.len());
                self.quotients.push((value, divisor));
                self.system.insert(&form, &Linear::variable(source));
            }
        }
    }

    /// Returns the first open quotient that can be computed.
    fn next(&self) -> Option<(usize, Dividend)> {
        self.open
            .iter()
            .enumerate()
            .find_map(|(at, atom)| Some((at, self.dividend(atom)?)))
    }

    /// Returns the dividend of the atom, if it is known.
    fn dividend(&self, atom: &Atom) -> Option<Dividend> {
        let Atom::Quotient(inner, divisor) = atom else {
            return None;
        };
        // floor((e + f x) / f) = floor(e / f) + x
        if let Some((value, multiple)) = self.system.express_modulo(inner, divisor) {
            let divisor = divisor.clone();
            return Some(Dividend {
                value,
                multiple,
                divisor,
            });
        }
        // floor((e + f x) / (f g)) = floor((floor(e / f) + x) / g)
        let finer = |other: &Atom| {
            let Atom::Quotient(similar, factor) = other else {
                return None;
            };
            let (ratio, rest) = divisor.divide(factor);
            let multiple = quotient(&inner.sub(similar), factor).filter(|_| other != atom && rest.is_zero())?;
            let value = self.system.express(&Linear::variable(other.clone()).add(&multiple))?;
            Some(Dividend {
                value,
                multiple: Linear::zero(),
                divisor: ratio,
            })
        };
        self.all.iter().find_map(finer)
    }
}

/// Returns the form divided by the divisor, if every coefficient is a multiple of it.
fn quotient(form: &Linear<Atom>, divisor: &Polynomial) -> Option<Linear<Atom>> {
    let divide = |coefficient: &Polynomial| {
        let (multiple, rest) = coefficient.divide(divisor);
        rest.is_zero().then_some(multiple)
    };
    let mut divided = Linear::constant(divide(form.constant_term())?);
    for (atom, coefficient) in form.terms() {
        divided.add_term(atom.clone(), &divide(coefficient)?);
    }
    Some(divided)
}

/// Returns all quotients in the forms, inner ones first.
pub(super) fn quotients_in(forms: &[Linear<Atom>]) -> Vec<Atom> {
    fn visit(form: &Linear<Atom>, found: &mut Vec<Atom>) {
        for atom in form.variables() {
            if let Atom::Quotient(inner, _) = atom {
                visit(inner, found);
                if !found.contains(atom) {
                    found.push(atom.clone());
                }
            }
        }
    }
    let mut found = Vec::new();
    for form in forms {
        visit(form, &mut found);
    }
    found
}
