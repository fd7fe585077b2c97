//! The inverse of an index map: logical coordinates from level coordinates (docs/LANGUAGE.md, Index map).

use super::system::System;
use super::{Atom, Expression, Linear, Polynomial};

/// A value that is known while the levels are walked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Source {
    /// The coordinate of a level.
    Level(usize),
    /// A quotient computed from such values, by its number in [`Inverse::quotients`].
    Quotient(usize),
}

/// What must hold of level coordinates for them to be those of some logical coordinate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Condition {
    /// The form is at least zero.
    Nonnegative(Linear<Source>),
    /// The form is below the extent of the dim.
    BelowExtent(usize, Linear<Source>),
    /// The form is a multiple of the divisor.
    Divisible(Linear<Source>, Polynomial),
}

/// How the logical coordinates follow from the level coordinates.
#[derive(Clone, Debug)]
pub(crate) struct Inverse {
    /// Whether each level is fixed by those above it.
    pub(crate) fixed: Vec<bool>,
    /// Each dim, in terms of the level coordinates. Coefficients may be fractions: see the conditions.
    pub(crate) dims: Vec<Linear<Source>>,
    /// Quotients of known forms by divisors, each known before it is used.
    pub(crate) quotients: Vec<(Linear<Source>, Polynomial)>,
    /// What holds for the coordinates of an element, and fails for a hole outside the tensor.
    pub(crate) conditions: Vec<Condition>,
}

/// Why there is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Lossy {
    /// These dims are not determined; `undecided` if only an unknown parameter prevents it.
    Dims { missing: Vec<usize>, undecided: bool },
    /// A coefficient left the range of exact arithmetic.
    TooLarge,
}

impl Inverse {
    /// Inverts the map from `dims` dims to these levels.
    #[cfg(test)]
    pub(crate) fn new(dims: usize, levels: &[Expression]) -> Result<Self, Lossy> {
        Self::of_levels(dims, &levels.iter().map(Some).collect::<Vec<_>>())
    }

    /// Inverts the map from `dims` dims to these levels; those that are `None` tell nothing.
    pub(crate) fn of_levels(dims: usize, levels: &[Option<&Expression>]) -> Result<Self, Lossy> {
        let forms: Vec<Option<Linear<Atom>>> = levels.iter().map(|level| level.map(Expression::linear)).collect();
        let known: Vec<Linear<Atom>> = forms.iter().flatten().cloned().collect();
        let quotients = quotients_in(&known);
        let mut walk = Walk::new(quotients);
        let mut atoms: Vec<Atom> = (0..dims).map(Atom::Dim).collect();
        atoms.extend(walk.all.clone());
        walk.close();
        let mut fixed = Vec::new();
        for (level, form) in forms.iter().enumerate() {
            let Some(form) = form else {
                fixed.push(false);
                continue;
            };
            fixed.push(walk.system.express(form).is_some());
            if !fixed[level] {
                walk.system.insert(form, &Linear::variable(Source::Level(level)));
                walk.close();
            }
        }
        let dims_known: Vec<_> = (0..dims)
            .map(|dim| walk.system.express(&Linear::variable(Atom::Dim(dim))))
            .collect();
        if walk.system.is_lost()
            || dims_known.iter().flatten().any(Linear::is_lost)
            || known.iter().any(Linear::is_lost)
        {
            return Err(Lossy::TooLarge);
        }
        if dims_known.iter().any(Option::is_none) || walk.system.is_stuck() {
            let missing = (0..dims).filter(|&dim| dims_known[dim].is_none()).collect();
            return Err(Lossy::Dims {
                missing,
                undecided: walk.system.is_stuck(),
            });
        }
        // A hole's coordinates can give fractions: every atom must be an integer.
        for atom in &atoms {
            let Some(value) = walk.system.express(&Linear::variable(atom.clone())) else {
                continue;
            };
            let denominator = value.denominator();
            if denominator != Polynomial::one() {
                walk.conditions
                    .push(Condition::Divisible(value.scale(&denominator), denominator));
            }
        }
        for form in walk.system.agreements() {
            walk.conditions.push(Condition::Nonnegative(form.clone()));
            walk.conditions.push(Condition::Nonnegative(form.neg()));
        }
        let dims: Vec<Linear<Source>> = dims_known.into_iter().flatten().collect();
        for (dim, value) in dims.iter().enumerate() {
            walk.conditions.push(Condition::Nonnegative(value.clone()));
            walk.conditions.push(Condition::BelowExtent(dim, value.clone()));
        }
        let inverse = Inverse {
            fixed,
            dims,
            quotients: walk.quotients,
            conditions: walk.conditions,
        };
        if inverse.is_lost() {
            Err(Lossy::TooLarge)
        } else {
            Ok(inverse)
        }
    }

    /// Whether a form, as the integral one that loops compute, leaves the range of exact arithmetic.
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

/// What a quotient is made of: the floor quotient of `value` by `divisor`, plus `multiple`, whose atoms may be unknown.
struct Dividend {
    value: Linear<Source>,
    multiple: Linear<Atom>,
    divisor: Polynomial,
}

/// The equations so far, and the quotients not yet looked at.
pub(super) struct Walk {
    pub(super) system: System,
    all: Vec<Atom>,
    open: Vec<Atom>,
    pub(super) quotients: Vec<(Linear<Source>, Polynomial)>,
    pub(super) conditions: Vec<Condition>,
}

impl Walk {
    /// No equations yet, and these quotients to look at.
    pub(super) fn new(quotients: Vec<Atom>) -> Self {
        Walk {
            system: System::default(),
            all: quotients.clone(),
            open: quotients,
            quotients: Vec::new(),
            conditions: Vec::new(),
        }
    }

    /// Uses every quotient whose dividend is known by now: computes it, or, where the levels already
    /// say what it is, demands that they agree.
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

    /// The first open quotient that can be computed.
    fn next(&self) -> Option<(usize, Dividend)> {
        self.open
            .iter()
            .enumerate()
            .find_map(|(at, atom)| Some((at, self.dividend(atom)?)))
    }

    /// What the atom is the quotient of, if that is known.
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
        // floor(e / (f g)) = floor(floor(e / f) / g)
        let finer = |other: &Atom| {
            let Atom::Quotient(same, factor) = other else {
                return None;
            };
            let (ratio, rest) = divisor.divide(factor);
            let divides = same == inner && other != atom && rest.is_zero();
            divides
                .then(|| self.system.express(&Linear::variable(other.clone())))
                .flatten()
                .map(|value| Dividend {
                    value,
                    multiple: Linear::zero(),
                    divisor: ratio,
                })
        };
        self.all.iter().find_map(finer)
    }
}

/// All quotients in the forms, inner ones first.
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
