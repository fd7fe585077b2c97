//! What a conversion is doing, for those who want to know: timing and progress.
//!
//! Algorithms call [`step`] and [`advance`], which look at one flag of their thread when nobody listens.

use core::cell::{Cell, RefCell};
use core::time::Duration;
use std::sync::OnceLock;
use std::time::Instant;

/// A sign of life of a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// What is being done. The outermost step is the conversion itself, by the name of its target.
    pub step: &'static str,
    /// How many steps it is within.
    pub depth: usize,
    /// How many of `total` are done: 0 when the step starts, all when it has ended.
    pub done: usize,
    /// How many items there are; 1 for a step that does not count them.
    pub total: usize,
    /// How long the step has run.
    pub elapsed: Duration,
}

/// A step, under way or ended.
struct Step {
    name: &'static str,
    depth: usize,
    since: Instant,
    total: usize,
    took: Option<Duration>,
}

#[derive(Default)]
struct Listener {
    /// The innermost is called.
    observers: Vec<Box<dyn FnMut(Progress)>>,
    /// All steps of the outermost conversion, as they started.
    steps: Vec<Step>,
    /// Which of them are under way.
    running: Vec<usize>,
}

thread_local! {
    static LISTENING: Cell<bool> = const { Cell::new(false) };
    static LISTENER: RefCell<Listener> = RefCell::default();
}

/// Whether a table is wanted of every conversion: the environment has `UNISPARSE_TIMING`, and not as 0.
fn timed() -> bool {
    static TIMED: OnceLock<bool> = OnceLock::new();
    *TIMED.get_or_init(|| std::env::var_os("UNISPARSE_TIMING").is_some_and(|value| !value.is_empty() && value != "0"))
}

/// Calls `observer` whenever a conversion on this thread, within `work`, starts or ends a step, or is some way into one.
///
/// Within an `observe` within `work` only the inner observer is called. Conversions by `observer` itself are not
/// observed.
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
    /// Ends the observation, if by a panic.
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

/// Runs a conversion into `format`.
pub fn conversion<R>(format: &'static str, work: impl FnOnce() -> R) -> R {
    if LISTENING.get() || timed() {
        listened(format, work)
    } else {
        work()
    }
}

/// Runs a step of a conversion.
pub(crate) fn step<R>(name: &'static str, work: impl FnOnce() -> R) -> R {
    if LISTENING.get() { listened(name, work) } else { work() }
}

/// Says that `done` items of `total` are done in the innermost step.
#[inline]
pub(crate) fn advance(done: usize, total: usize) {
    if LISTENING.get() {
        say(done, Some(total));
    }
}

#[cold]
fn listened<R>(name: &'static str, work: impl FnOnce() -> R) -> R {
    /// Ends the step, if by a panic.
    struct Under;
    impl Drop for Under {
        fn drop(&mut self) {
            end();
        }
    }
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
    let _under = Under;
    work()
}

/// Tells the innermost observer how far the innermost step is.
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
        // Taken out while it is called: it may convert something itself.
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

/// Steps and their times, those within others indented.
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

    /// What an observer is told by `work`: step, depth, done, total.
    fn told(work: impl FnOnce()) -> Vec<(&'static str, usize, usize, usize)> {
        let told = Rc::new(RefCell::new(Vec::new()));
        let heard = Rc::clone(&told);
        observe(
            move |progress| {
                let Progress {
                    step,
                    depth,
                    done,
                    total,
                    ..
                } = progress;
                heard.borrow_mut().push((step, depth, done, total));
            },
            work,
        );
        told.take()
    }

    fn sort(items: usize) {
        step("sort", || (1..=items).for_each(|done| advance(done, items)));
    }

    #[test]
    fn steps_are_told_in_order() {
        let told = told(|| {
            conversion("Csr", || {
                sort(2);
                step("values", || ());
            });
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
        assert_eq!(told, expected);
    }

    #[test]
    fn conversions_within_conversions_are_steps() {
        let told = told(|| conversion("Hybrid", || conversion("Csr", || sort(0))));
        let names: Vec<_> = told.iter().map(|&(name, depth, ..)| (name, depth)).collect();
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
    fn only_the_inner_observer_is_told_and_only_while_it_observes() {
        let outer = told(|| {
            sort(0);
            assert_eq!(told(|| sort(1)).len(), 3);
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
            conversion("Coo", || sort(3));
        };
        observe(observer, || sort(0));
        assert_eq!(calls.get(), 2);
    }

    #[test]
    fn a_panic_ends_the_observation() {
        let told = told(|| {
            let panicking = || conversion("Csr", || step("sort", || panic!("on purpose")));
            assert!(std::panic::catch_unwind(panicking).is_err());
            sort(0);
        });
        let names: Vec<_> = told.iter().map(|&(name, depth, ..)| (name, depth)).collect();
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
