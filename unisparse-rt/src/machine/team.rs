//! Loops whose iterations other threads of the current `rayon` pool take over, without waiting for threads that come late.
//!
//! A scope of `rayon` ends when all its jobs have run: its caller waits for a sleeping thread to wake, which takes milliseconds on some virtual
//! machines, even if nothing is left to do. Here, the caller waits only for the threads that take part.

use core::any::Any;
use core::cell::RefCell;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Which threads take over work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Helpers {
    /// Those that sleep are woken.
    Woken,
    /// Those that are awake: the work does not take as long as it takes to wake one. If one such loop follows another soon, those
    /// that sleep are woken for the loops after it.
    Awake,
}

/// Runs `work` on each number below `count`, on this thread and on at most `others` of the current pool. Each takes the next number when it
/// is done with one. Returns when all numbers are done. Compiled once for all work: closures that `rayon` gets compile much of it again.
///
/// # Panics
/// If `work` panics.
pub(super) fn run(count: usize, others: usize, helpers: Helpers, work: &(dyn Fn(usize) + Sync)) {
    let task = Task { work, count };
    let open = Open::new(task, others);
    if helpers == Helpers::Woken || open.team.is_soon() {
        open.team.call(others);
    }
    open.team.take(task);
    let failure = open.team.close();
    // Closes the team again, which does nothing.
    drop(open);
    if let Some(failure) = failure {
        resume_unwind(failure);
    }
}

/// What a team does.
#[derive(Clone, Copy)]
struct Task<'a> {
    work: &'a (dyn Fn(usize) + Sync),
    count: usize,
}

/// A thread and its helpers. They stay a team for one task after another: a helper that comes too late for a task is in time for the next.
#[derive(Default)]
struct Team {
    state: Mutex<State>,
    /// The next number that nobody has taken.
    next: AtomicUsize,
    /// How many helpers were called and have not come yet.
    called: AtomicUsize,
    /// How many helpers are awake: at work, or waiting for a task.
    awake: AtomicUsize,
    /// How many tasks there have been.
    opened: AtomicUsize,
    /// How many more helpers the task has use for: on a machine of many threads, many may be awake. Changes only while the state is
    /// locked.
    seats: AtomicUsize,
    /// How many helpers are at work. Changes only while the state is locked, and grows only while there is a task.
    active: AtomicUsize,
    /// The last helper has left.
    done: Condvar,
}

#[derive(Default)]
struct State {
    /// The task that helpers may take part in.
    task: Option<Task<'static>>,
    failure: Option<Failure>,
    /// When the last task ended.
    end: Option<Instant>,
}

/// What a panic carries.
type Failure = Box<dyn Any + Send>;

impl Team {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the last task ended so short a time ago that the next one may be as near.
    fn is_soon(&self) -> bool {
        const SOON: Duration = Duration::from_micros(100);
        self.lock().end.is_some_and(|end| end.elapsed() < SOON)
    }

    /// Calls helpers until this many have been called and have not come, or are awake.
    fn call(self: &Arc<Self>, others: usize) {
        while self.called.load(Ordering::Relaxed) + self.awake.load(Ordering::Relaxed) < others {
            self.called.fetch_add(1, Ordering::Relaxed);
            let team = Arc::clone(self);
            rayon::spawn(move || team.help());
        }
    }

    /// Takes part in one task after another, until none comes for a while.
    fn help(&self) {
        self.awake.fetch_add(1, Ordering::Relaxed);
        self.called.fetch_sub(1, Ordering::Relaxed);
        loop {
            let opened = self.opened.load(Ordering::Relaxed);
            if !self.take_part() || !self.comes_after(opened) {
                break;
            }
        }
        self.awake.fetch_sub(1, Ordering::Relaxed);
    }

    /// Waits for another task than the one with this number; not if the pool has other work.
    fn comes_after(&self, opened: usize) -> bool {
        const WAITS: usize = 32;
        for _ in 0..WAITS {
            if spin_until(SPINS / WAITS, || self.opened.load(Ordering::Relaxed) != opened) {
                return true;
            }
            if rayon::yield_now() == Some(rayon::Yield::Executed) {
                return false;
            }
        }
        false
    }

    /// Takes part in the task, if there is one. Returns whether it had use for this thread, or has ended.
    fn take_part(&self) -> bool {
        let seats = || self.seats.load(Ordering::Relaxed);
        if seats() == 0 {
            return false;
        }
        let task = {
            let state = self.lock();
            let Some(task) = state.task else { return true };
            if seats() == 0 {
                return false;
            }
            self.seats.fetch_sub(1, Ordering::Relaxed);
            self.active.fetch_add(1, Ordering::Relaxed);
            task
        };
        let result = catch_unwind(AssertUnwindSafe(|| self.take(task)));
        let mut state = self.lock();
        state.failure = result.err().or(state.failure.take());
        if self.active.fetch_sub(1, Ordering::Release) == 1 && state.task.is_none() {
            self.done.notify_one();
        }
        true
    }

    fn take(&self, task: Task<'_>) {
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            if at >= task.count {
                return;
            }
            (task.work)(at);
        }
    }

    /// Ends the task: waits until no helper is at work, and returns the panic of one.
    fn close(&self) -> Option<Failure> {
        self.lock().task = None;
        spin_until(SPINS, || self.active.load(Ordering::Acquire) == 0);
        let mut state = self.lock();
        while self.active.load(Ordering::Acquire) > 0 {
            state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.end = Some(Instant::now());
        state.failure.take()
    }
}

/// Rounds of about 50 microseconds: to sleep and to be woken takes as long.
const SPINS: usize = 2000;

/// Waits until `holds`, but at most for some rounds, and returns whether it holds.
fn spin_until(rounds: usize, holds: impl Fn() -> bool) -> bool {
    for _ in 0..rounds {
        if holds() {
            return true;
        }
        core::hint::spin_loop();
    }
    false
}

thread_local! {
    /// The teams of this thread that have no task. There are several if the work of a task has tasks of its own.
    static TEAMS: RefCell<Vec<Arc<Team>>> = const { RefCell::new(Vec::new()) };
}

/// A team of this thread with a task, until this is dropped.
struct Open<'a> {
    team: Arc<Team>,
    task: PhantomData<Task<'a>>,
}

impl<'a> Open<'a> {
    fn new(task: Task<'a>, others: usize) -> Self {
        let team = TEAMS.try_with(|teams| teams.borrow_mut().pop());
        let team = team.ok().flatten().unwrap_or_default();
        team.next.store(0, Ordering::Relaxed);
        // SAFETY: helpers use the task only while they are at work. `Drop` waits for them, and nothing in this module forgets an `Open`.
        let endless = unsafe { core::mem::transmute::<Task<'a>, Task<'static>>(task) };
        {
            let mut state = team.lock();
            state.task = Some(endless);
            team.seats.store(others, Ordering::Relaxed);
        }
        team.opened.fetch_add(1, Ordering::Relaxed);
        Open {
            team,
            task: PhantomData,
        }
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        // If the work of this thread panics, that of a helper is not reported.
        self.team.close();
        // A thread that ends has no use for teams.
        let _ = TEAMS.try_with(|teams| teams.borrow_mut().push(Arc::clone(&self.team)));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    fn pool(threads: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
    }

    fn count_one(counter: &AtomicUsize) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

    #[test]
    fn each_number_is_done_once_by_any_number_of_threads() {
        for (threads, count) in [(1, 5), (2, 0), (2, 1), (4, 1000)] {
            pool(threads).install(|| {
                for _ in 0..100 {
                    let done: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
                    run(count, threads - 1, Helpers::Woken, &|at| count_one(&done[at]));
                    assert!(done.iter().all(|done| done.load(Ordering::Relaxed) == 1));
                }
            });
        }
    }

    #[test]
    fn short_work_wakes_nobody_unless_it_follows_other_work() {
        pool(2).install(|| {
            let alone = std::thread::current().id();
            run(8, 1, Helpers::Awake, &|_| {
                assert_eq!(std::thread::current().id(), alone);
            });
            TEAMS.with_borrow(|teams| {
                let called: Vec<usize> = teams.iter().map(|team| team.called.load(Ordering::Relaxed)).collect();
                assert_eq!(called, [0]);
            });
        });
    }

    #[test]
    fn helpers_that_are_awake_do_each_number_of_each_task_once() {
        for threads in [2, 4] {
            pool(threads).install(|| {
                for task in 0..2000 {
                    let helpers = [Helpers::Woken, Helpers::Awake][usize::from(task % 50 > 0)];
                    let done: [AtomicUsize; 12] = core::array::from_fn(|_| AtomicUsize::new(0));
                    run(12, threads - 1, helpers, &|at| count_one(&done[at]));
                    assert!(done.into_iter().all(|done| done.into_inner() == 1));
                }
            });
        }
    }

    #[test]
    fn no_more_helpers_take_part_than_a_task_has_use_for() {
        pool(6).install(|| {
            for others in [5, 1, 0, 2].into_iter().cycle().take(400) {
                let threads = Mutex::new(std::collections::HashSet::new());
                run(40, others, Helpers::Woken, &|_| {
                    threads.lock().unwrap().insert(std::thread::current().id());
                });
                assert!(threads.into_inner().unwrap().len() <= 1 + others);
            }
        });
    }

    #[test]
    fn a_helper_that_waits_does_other_work_of_the_pool() {
        // The pool has no other thread that could do it.
        pool(1).install(|| {
            let done = Arc::new(AtomicBool::new(false));
            let other = Arc::clone(&done);
            rayon::spawn(move || other.store(true, Ordering::Relaxed));
            assert!(!Team::default().comes_after(0));
            assert!(done.load(Ordering::Relaxed));
            // Without other work, it waits in vain; a task that has come is seen.
            assert!(!Team::default().comes_after(0));
            assert!(Team::default().comes_after(1));
        });
    }

    #[test]
    fn a_busy_pool_is_not_waited_for_and_gets_no_second_call() {
        let pool = pool(2);
        let [busy, release] = [(); 2].map(|()| AtomicBool::new(false));
        pool.in_place_scope(|scope| {
            scope.spawn(|_| {
                busy.store(true, Ordering::Release);
                while !release.load(Ordering::Acquire) {
                    std::thread::sleep(Duration::from_millis(1));
                }
            });
            while !busy.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            // One thread of the pool is busy until it is released: nobody helps the other.
            pool.install(|| {
                for _ in 0..10 {
                    let done = AtomicUsize::new(0);
                    run(8, 1, Helpers::Woken, &|_| count_one(&done));
                    assert_eq!(done.into_inner(), 8);
                }
                TEAMS.with_borrow(|teams| {
                    let called: Vec<usize> = teams.iter().map(|team| team.called.load(Ordering::Relaxed)).collect();
                    assert_eq!(called, [1]);
                });
            });
            release.store(true, Ordering::Release);
        });
    }

    #[test]
    fn tasks_run_inside_tasks_and_their_teams_are_kept() {
        pool(3).install(|| {
            for _ in 0..50 {
                let done = AtomicUsize::new(0);
                let inner = |_| run(5, 2, Helpers::Woken, &|_| count_one(&done));
                run(7, 2, Helpers::Woken, &inner);
                assert_eq!(done.into_inner(), 35);
            }
            TEAMS.with_borrow(|teams| assert!(teams.len() <= 2));
        });
    }

    #[test]
    fn a_panic_on_any_thread_reaches_the_caller_after_all_have_left() {
        pool(4).install(|| {
            for bad in 0..20 {
                let [entered, left] = [(); 2].map(|()| AtomicUsize::new(0));
                let work = |at| {
                    count_one(&entered);
                    let _leaves = Leaves(&left);
                    assert_ne!(at, bad, "bad number");
                };
                let panic = catch_unwind(AssertUnwindSafe(|| run(20, 3, Helpers::Woken, &work))).unwrap_err();
                assert!(panic.downcast_ref::<String>().unwrap().contains("bad number"));
                assert_eq!(entered.into_inner(), left.into_inner());
                run(20, 3, Helpers::Woken, &|_| ());
            }
        });
    }

    struct Leaves<'a>(&'a AtomicUsize);

    impl Drop for Leaves<'_> {
        fn drop(&mut self) {
            count_one(self.0);
        }
    }
}
