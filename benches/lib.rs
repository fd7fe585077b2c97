//! The benches of this package are in `advise/`, `compute/`, `convert/`, `gpu/`, `sizes/` and `tune/`, over `harness/`;
//! `tasks/` compares whole programs, `read/` the readers of files.
