//! Conversions into a format: evaluation of queries, assembly from elements, reuse of a tensor's arrays, partition.

pub(crate) mod assemble;
pub(crate) mod mutate;
pub(crate) mod partition;
pub(crate) mod query;
