//! Pages for people: a tutorial, pages for those who know another library, a cookbook, and what to do when something is wrong.
//!
//! | you want to | page |
//! |---|---|
//! | see it work | [`tutorial`]: the first five minutes |
//! | translate what you know | [`scipy`], [`sprs`], [`graphblas`], [`taco`] (and Finch) |
//! | compare whole programs | [`tasks`]: lines and times in unisparse, sprs and scipy |
//! | choose a format | [`cookbook`], with the bytes that each takes |
//! | know what runs where | [`support`]: formats and targets |
//! | share formats and kernels | [`crates`] |
//! | find a mistake, or what is slow | [`debugging`] |
//! | know whether to use it at all | [`limits`] |
//! | look something up | [`language`](crate::language), which is the reference |
//!
//! The programs on these pages are compiled and run by the tests. What stands in a table is in a program below it, too, and
//! the tests compare both.

#[doc = include_str!("../docs/guide/tutorial.md")]
pub mod tutorial {}

#[doc = include_str!("../docs/guide/scipy.md")]
pub mod scipy {}

#[doc = include_str!("../docs/guide/sprs.md")]
pub mod sprs {}

#[doc = include_str!("../docs/guide/graphblas.md")]
pub mod graphblas {}

#[doc = include_str!("../docs/guide/taco.md")]
pub mod taco {}

#[doc = include_str!("../docs/guide/tasks.md")]
pub mod tasks {}

#[doc = include_str!("../docs/guide/cookbook.md")]
pub mod cookbook {}

#[doc = include_str!("../docs/guide/support.md")]
pub mod support {}

#[doc = include_str!("../docs/guide/crates.md")]
pub mod crates {}

#[doc = include_str!("../docs/guide/debugging.md")]
pub mod debugging {}

#[doc = include_str!("../docs/guide/limits.md")]
pub mod limits {}
