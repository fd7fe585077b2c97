//! The benches of this package are in `advise/`, `compute/`, `convert/` and `sizes/`, over `harness/`.
