//! Linear equations between the atoms of an index map and known values.

use super::{Atom, Linear, Polynomial};

/// A value that is known during a walk through the levels.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Source {
    /// The coordinate of a level.
    Level(usize),
    /// A quotient of known values, by its number in [`Inverse::quotients`](super::Inverse::quotients).
    Quotient(usize),
}

/// Equations `form of atoms = form of sources`, in reduced echelon form.
#[derive(Clone, Debug, Default)]
pub(crate) struct System {
    rows: Vec<Row>,
    /// Equations without a coefficient that is provably nonzero.
    stuck: Vec<(Linear<Atom>, Linear<Source>)>,
    /// Forms that are zero if the equations are consistent.
    agreements: Vec<Linear<Source>>,
}

/// The equation `atom = value + rest`, where no other row's rest contains `atom`.
#[derive(Clone, Debug)]
struct Row {
    atom: Atom,
    rest: Linear<Atom>,
    value: Linear<Source>,
}

impl System {
    /// Adds the equation `form = value`. A redundant equation adds an agreement with the others.
    pub(crate) fn insert(&mut self, form: &Linear<Atom>, value: &Linear<Source>) {
        let (form, value) = self.reduce(form, value);
        if let Some(constant) = form.as_constant() {
            self.agreements.push(Linear::constant(constant.clone()).sub(&value));
            return;
        }
        let pivot = form
            .terms()
            .find_map(|(atom, c)| c.inverse().map(|inverse| (atom.clone(), inverse)));
        let Some((atom, inverse)) = pivot else {
            self.stuck.push((form, value));
            return;
        };
        // atom = (value - the other terms) / its coefficient
        let mut others = form.clone();
        others.add_term(atom.clone(), &form.coefficient(&atom).neg());
        let rest = others.scale(&inverse).neg();
        let value = value.scale(&inverse);
        for row in &mut self.rows {
            let coefficient = row.rest.coefficient(&atom);
            if coefficient.is_zero() {
                continue;
            }
            row.rest.add_term(atom.clone(), &coefficient.neg());
            row.rest = row.rest.add(&rest.scale(&coefficient));
            row.value = row.value.add(&value.scale(&coefficient));
        }
        self.rows.push(Row { atom, rest, value });
        for (form, value) in std::mem::take(&mut self.stuck) {
            self.insert(&form, &value);
        }
    }

    /// Replaces the known atoms of the equation `form = value`, so that it contains only atoms that are not pivots, and no multiple
    /// of a form whose value is known.
    fn reduce(&self, form: &Linear<Atom>, value: &Linear<Source>) -> (Linear<Atom>, Linear<Source>) {
        let (mut form, mut value) = (form.clone(), value.clone());
        for row in &self.rows {
            let coefficient = form.coefficient(&row.atom);
            if !coefficient.is_zero() {
                form.add_term(row.atom.clone(), &coefficient.neg());
                form = form.add(&row.rest.scale(&coefficient));
                value = value.sub(&row.value.scale(&coefficient));
            }
        }
        for (known, sum) in &self.stuck {
            if let Some(factor) = factor(&form, known) {
                form = form.sub(&known.scale(&factor));
                value = value.sub(&sum.scale(&factor));
            }
        }
        (form, value)
    }

    /// Returns the form in terms of the sources, if it is determined.
    pub(crate) fn express(&self, form: &Linear<Atom>) -> Option<Linear<Source>> {
        let (rest, value) = self.reduce(form, &Linear::zero());
        let constant: &Polynomial = rest.as_constant()?;
        Some(Linear::constant(constant.clone()).sub(&value))
    }

    /// Returns the form as a form of the sources plus a multiple of the divisor by an integral form of the undetermined
    /// atoms.
    pub(crate) fn express_modulo(
        &self,
        form: &Linear<Atom>,
        divisor: &Polynomial,
    ) -> Option<(Linear<Source>, Linear<Atom>)> {
        let (rest, value) = self.reduce(form, &Linear::zero());
        let mut multiple = Linear::zero();
        for (atom, coefficient) in rest.terms() {
            let (factor, remainder) = coefficient.divide(divisor);
            if !remainder.is_zero() || factor.denominator() != Polynomial::one() {
                return None;
            }
            multiple.add_term(atom.clone(), &factor);
        }
        Some((Linear::constant(rest.constant_term().clone()).sub(&value), multiple))
    }

    /// Returns the forms that must be zero for all equations to hold.
    pub(crate) fn agreements(&self) -> &[Linear<Source>] {
        &self.agreements
    }

    /// Whether a coefficient exceeds the range of exact arithmetic.
    pub(crate) fn is_lost(&self) -> bool {
        let rows = self.rows.iter().any(|row| row.rest.is_lost() || row.value.is_lost());
        rows || self.stuck.iter().any(|(form, value)| form.is_lost() || value.is_lost())
    }

    /// Whether an equation could not be used, because no coefficient is provably nonzero.
    pub(crate) fn is_stuck(&self) -> bool {
        !self.stuck.is_empty()
    }
}

/// Returns the factor of `known` in the form, if the difference has none of its atoms.
fn factor(form: &Linear<Atom>, known: &Linear<Atom>) -> Option<Polynomial> {
    let (first, coefficient) = known.terms().next()?;
    let factor = form.coefficient(first).ratio(coefficient)?;
    known
        .terms()
        .all(|(atom, coefficient)| form.coefficient(atom) == coefficient.mul(&factor))
        .then_some(factor)
}
