//! What a conversion is doing, for those who want to know: timing and progress.
//!
//! Algorithms call [`step`] and [`advance`], which look at one thread-local flag when nobody listens. What other
//! threads do on behalf of a step is part of it.

use core::cell::{Cell, RefCell};
use core::time::Duration;
use std::sync::OnceLock;
use std::time::Instant;

/// A sign of life of a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// What is being done: `"sort"`.
    pub step: &'static str,
    /// How many of the `total` are done; 0 when a step starts, and `total` when it has ended.
    pub done: usize,
    /// How many there are; 1 where a step is not counted.
    pub total: usize,
    /// How long the step has run.
    pub elapsed: Duration,
}

type Callback<'a> = &'a RefCell<dyn FnMut(Progress) + 'a>;

/// A step under way.
struct Running {
    name: &'static str,
    since: Instant,
    total: usize,
}

#[derive(Default)]
struct Listener {
    /// Nested observers; the innermost is called.
    callbacks: Vec<Callback<'static>>,
    running: Vec<Running>,
    /// What ended, with its depth, in the order it started; for the table.
    ended: Vec<(&'static str, usize, Duration)>,
    timing: bool,
}

thread_local! {
    /// Whether anyone listens: an observer on this thread, or a table that is being made.
    static LISTENING: Cell<bool> = const { Cell::new(false) };
    static LISTENER: RefCell<Listener> = RefCell::new(Listener::default());
}
