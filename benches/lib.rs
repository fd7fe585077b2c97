//! The benches of this package are in `advise/`, `compute/` and `convert/`, over `harness/`.
