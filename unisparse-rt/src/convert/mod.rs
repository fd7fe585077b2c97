//! Ways into a format: queries, assembly from any elements, mutation of the arrays of a tensor, cuts into parts.

pub(crate) mod assemble;
pub(crate) mod mutate;
pub(crate) mod partition;
pub(crate) mod query;
