//! Reports the steps of conversions, and of reading and writing files: timing and progress.
//!
//! Algorithms call [`step`] and [`advance`], which only check a thread-local flag when nobody listens.

use core::cell::{Cell, RefCell};
use core::time::Duration;
use std::sync::OnceLock;
use std::time::Instant;

/// A progress report of a conversion, or of a file that is read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The name of the step. The outermost step is the conversion itself, named after its target.
    pub step: &'static str,
    /// Number of enclosing steps.
    pub depth: usize,
    /// Number of items done, out of `total`: 0 when the step starts, all when it ends.
    pub done: usize,
    /// Number of items; 1 for a step that does not count items.
    pub total: usize,
    /// The time since the start of the step.
    pub elapsed: Duration,
}

/// A step that is running or has ended.
struct Step {
    name: &'static str,
    depth: usize,
    since: Instant,
    total: usize,
    took: Option<Duration>,
}

#[derive(Default)]
struct Listener {
    /// The observers, the innermost last; only the innermost is called.
    observers: Vec<Box<dyn FnMut(Progress)>>,
    /// All steps of the outermost conversion, in starting order.
    steps: Vec<Step>,
    /// The indices of the running steps, the innermost last.
    running: Vec<usize>,
}

thread_local! {
    static LISTENING: Cell<bool> = const { Cell::new(false) };
    static LISTENER: RefCell<Listener> = RefCell::default();
}

/// Returns whether every conversion prints a table: the variable `UNISPARSE_TIMING` is set, neither empty nor `0`.
fn timed() -> bool {
    static TIMED: OnceLock<bool> = OnceLock::new();
    *TIMED.get_or_init(|| std::env::var_os("UNISPARSE_TIMING").is_some_and(|value| !value.is_empty() && value != "0"))
}

/// Calls `observer` whenever a conversion that `work` runs on this thread starts or ends a step, or makes progress in one.
///
/// If `work` calls `observe` again, only the inner observer is called during that call. Conversions by `observer` itself are
/// not observed.
///
/// ```
/// # use unisparse_rt as unisparse;
/// use std::{cell::Cell, rc::Rc};
/// let calls = Rc::new(Cell::new(0));
/// let counter = Rc::clone(&calls);
/// let sum = unisparse::observe(move |_| counter.set(counter.get() + 1), || 1 + 1);
/// assert_eq!((sum, calls.get()), (2, 0)); // nothing was converted
/// ```
pub fn observe<R>(observer: impl FnMut(Progress) + 'static, work: impl FnOnce() -> R) -> R {
    /// Ends the observation, also on a panic.
    struct Observed;
    impl Drop for Observed {
        fn drop(&mut self) {
            let left = LISTENER.with_borrow_mut(|listener| {
                listener.observers.pop();
                !listener.observers.is_empty() || (timed() && !listener.running.is_empty())
            });
            LISTENING.set(left);
        }
    }
    LISTENER.with_borrow_mut(|listener| listener.observers.push(Box::new(observer)));
    LISTENING.set(true);
    let _observed = Observed;
    work()
}

/// Starts a conversion to `format`, which runs until the result is dropped.
#[must_use]
pub fn conversion(format: &'static str) -> Running {
    Running::of(format, LISTENING.get() || timed())
}

/// Starts a step of a conversion, which runs until the result is dropped.
#[must_use]
pub(crate) fn step(name: &'static str) -> Running {
    Running::of(name, LISTENING.get())
}

/// A step, which ends when this is dropped, also on a panic. True if somebody listens.
pub struct Running(bool);

impl Running {
    fn of(name: &'static str, listened: bool) -> Self {
        if listened {
            begin(name);
        }
        Running(listened)
    }
}

impl Drop for Running {
    #[inline]
    fn drop(&mut self) {
        if self.0 {
            end();
        }
    }
}

/// Reports that `done` of `total` items are done in the innermost step.
#[inline]
pub(crate) fn advance(done: usize, total: usize) {
    if LISTENING.get() {
        say(done, Some(total));
    }
}

/// Begins a step.
#[cold]
fn begin(name: &'static str) {
    LISTENING.set(true);
    LISTENER.with_borrow_mut(|listener| {
        let depth = listener.running.len();
        listener.running.push(listener.steps.len());
        listener.steps.push(Step {
            name,
            depth,
            since: Instant::now(),
            total: 1,
            took: None,
        });
    });
    say(0, None);
}

/// Reports the progress of the innermost step to the innermost observer.
fn say(done: usize, total: Option<usize>) {
    let called = LISTENER.with_borrow_mut(|listener| {
        let step = listener.running.last().and_then(|&step| listener.steps.get_mut(step))?;
        step.total = total.unwrap_or(step.total);
        let progress = Progress {
            step: step.name,
            depth: step.depth,
            done,
            total: step.total,
            elapsed: step.since.elapsed(),
        };
        // The observers are taken out during the call, as the observer may itself convert something.
        Some((core::mem::take(&mut listener.observers), progress))
    });
    let Some((mut observers, progress)) = called else {
        return;
    };
    if let Some(observer) = observers.last_mut() {
        LISTENING.set(false);
        observer(progress);
        LISTENING.set(true);
    }
    LISTENER.with_borrow_mut(|listener| listener.observers = observers);
}

/// Ends the innermost step.
#[cold]
fn end() {
    let total = LISTENER.with_borrow(|listener| {
        let step = listener.running.last().and_then(|&step| listener.steps.get(step));
        step.map_or(1, |step| step.total)
    });
    if !std::thread::panicking() {
        say(total, None);
    }
    let ended = LISTENER.with_borrow_mut(|listener| {
        if let Some(step) = listener.running.pop() {
            let step = &mut listener.steps[step];
            step.took = Some(step.since.elapsed());
        }
        listener.running.is_empty().then(|| {
            LISTENING.set(!listener.observers.is_empty());
            core::mem::take(&mut listener.steps)
        })
    });
    if let Some(steps) = ended.filter(|_| timed()) {
        eprint!("{}", table(&steps));
    }
}

/// Formats steps and their times, indented by depth.
fn table(steps: &[Step]) -> String {
    let name = |step: &Step| format!("{:1$}{2}", "", 2 * step.depth, step.name);
    let width = steps.iter().map(|step| name(step).len()).max().unwrap_or(0);
    let row = |step: &Step| {
        let took = step.took.unwrap_or_default().as_secs_f64() * 1e3;
        format!("{:width$}  {took:10.3} ms\n", name(step))
    };
    steps.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    /// Returns what an observer of `work` receives: step, depth, done, total.
    fn reported(work: impl FnOnce()) -> Vec<(&'static str, usize, usize, usize)> {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let receiver = Rc::clone(&seen);
        observe(
            move |progress| {
                let Progress {
                    step,
                    depth,
                    done,
                    total,
                    ..
                } = progress;
                receiver.borrow_mut().push((step, depth, done, total));
            },
            work,
        );
        seen.take()
    }

    fn sort(items: usize) {
        let _step = step("sort");
        (1..=items).for_each(|done| advance(done, items));
    }

    #[test]
    fn steps_are_reported_in_order() {
        let steps = reported(|| {
            let _conversion = conversion("Csr");
            sort(2);
            drop(step("values"));
        });
        let expected = [
            ("Csr", 0, 0, 1),
            ("sort", 1, 0, 1),
            ("sort", 1, 1, 2),
            ("sort", 1, 2, 2),
            ("sort", 1, 2, 2),
            ("values", 1, 0, 1),
            ("values", 1, 1, 1),
            ("Csr", 0, 1, 1),
        ];
        assert_eq!(steps, expected);
    }

    #[test]
    fn conversions_within_conversions_are_steps() {
        let steps = reported(|| {
            let _conversions = [conversion("Hybrid"), conversion("Csr")];
            sort(0);
        });
        let names: Vec<_> = steps.iter().map(|&(name, depth, ..)| (name, depth)).collect();
        assert_eq!(
            names,
            [
                ("Hybrid", 0),
                ("Csr", 1),
                ("sort", 2),
                ("sort", 2),
                ("Csr", 1),
                ("Hybrid", 0)
            ]
        );
    }

    #[test]
    fn only_the_inner_observer_is_called_and_only_while_it_observes() {
        let outer = reported(|| {
            sort(0);
            assert_eq!(reported(|| sort(1)).len(), 3);
            sort(0);
        });
        assert_eq!(outer.len(), 4);
        sort(1);
        assert!(!LISTENING.get());
    }

    #[test]
    fn an_observer_may_convert() {
        let calls = Rc::new(Cell::new(0));
        let counter = Rc::clone(&calls);
        let observer = move |_| {
            counter.set(counter.get() + 1);
            let _conversion = conversion("Coo");
            sort(3);
        };
        observe(observer, || sort(0));
        assert_eq!(calls.get(), 2);
    }

    #[test]
    fn a_panic_ends_the_observation() {
        let steps = reported(|| {
            let panicking = || {
                let _running = (conversion("Csr"), step("sort"));
                panic!("on purpose")
            };
            assert!(std::panic::catch_unwind(panicking).is_err());
            sort(0);
        });
        let names: Vec<_> = steps.iter().map(|&(name, depth, ..)| (name, depth)).collect();
        assert_eq!(names, [("Csr", 0), ("sort", 1), ("sort", 0), ("sort", 0)]);
        assert!(!LISTENING.get());
    }

    #[test]
    fn the_table_shows_what_is_within_what() {
        let step = |name, depth, micros| Step {
            name,
            depth,
            since: Instant::now(),
            total: 1,
            took: Some(Duration::from_micros(micros)),
        };
        let text = table(&[step("Csr", 0, 1500), step("sort", 1, 1000)]);
        assert_eq!(text, "Csr          1.500 ms\n  sort       1.000 ms\n");
    }
}
