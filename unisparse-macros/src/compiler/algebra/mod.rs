//! Exact algebra of index maps: coefficients, linear forms, quotients, bounds, inverse. This module uses no tokens.

mod bounds;
mod inverse;
mod known;
mod linear;
mod polynomial;
mod quotient;
mod rational;
mod system;
mod terms;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use bounds::{Interval, Symbol};
pub(crate) use inverse::{Condition, Inverse, Lossy};
pub(crate) use known::Known;
pub(crate) use linear::Linear;
pub(crate) use polynomial::Polynomial;
pub(crate) use quotient::{Atom, Expression};
pub(crate) use rational::Rational;
pub(crate) use system::Source;
