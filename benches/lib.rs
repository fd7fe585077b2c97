//! The benches of this package are in `advise/`, `compute/`, `convert/`, `sizes/` and `tune/`, over `harness/`.
