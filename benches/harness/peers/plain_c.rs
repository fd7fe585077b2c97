//! Plain C, with memory from `malloc`.

use std::ffi::c_int;

use libloading::{Library, Symbol};

use super::native::{compile_both, of_type};
use crate::harness::computation;
use crate::harness::conversion::{Problem, Task};
use crate::harness::matrices::Element;
use crate::harness::measure::Contestant;
use crate::harness::tensors::Fibers;

pub(crate) struct PlainC([Library; 2]);

/// The struct of the same name in `plain.c`.
#[repr(C)]
struct Output<T> {
    count: i64,
    idx: *mut i32,
    values: *mut T,
}

type Convert<T> = unsafe extern "C" fn(i64, i64, i64, *const u32, *const u32, *const T, *mut Output<T>) -> c_int;
type Sample<T> = unsafe extern "C" fn(i64, i64, i64, *const u32, *const u32, *const T, *const T, *const T, *mut T);
type Mttkrp<T> = unsafe extern "C" fn(
    i64,
    i64,
    *const u32,
    *const u32,
    *const u32,
    *const u32,
    *const T,
    *const T,
    *const T,
    *mut T,
);
type Peak<T> = unsafe extern "C" fn(i64, *mut T) -> f64;
type Release<T> = unsafe extern "C" fn(*mut Output<T>);

/// Memory that C has allocated, freed when dropped.
struct Owned<'a, T> {
    output: Output<T>,
    release: Symbol<'a, Release<T>>,
}

impl<T> Drop for Owned<'_, T> {
    fn drop(&mut self) {
        // SAFETY: the arrays come from the `malloc` of the same library, and are freed once.
        unsafe { (self.release)(&mut self.output) }
    }
}

impl PlainC {
    pub(super) fn compile() -> Result<Self, String> {
        compile_both("cc", include_str!("plain.c"), &[]).map(PlainC)
    }

    pub(super) fn convert<'a, T: Element>(&'a self, problem: &'a Problem<T>) -> Option<Contestant<'a>> {
        let name: &[u8] = match problem.task {
            Task::Diagonals => b"diagonals",
            Task::Ellpack => b"ellpack",
            _ => return None,
        };
        let library = of_type::<T>(&self.0);
        // SAFETY: these are the types that `plain.c` declares.
        let (convert, release) = unsafe {
            (
                library.get::<Convert<T>>(name).expect("plain.c has it"),
                library.get::<Release<T>>(b"release").expect("plain.c has it"),
            )
        };
        let entries = &problem.entries;
        let run = move || {
            let (idx, values) = (std::ptr::null_mut(), std::ptr::null_mut());
            let mut owned = Owned {
                output: Output { count: 0, idx, values },
                release: release.clone(),
            };
            let [rows, cols] = entries.shape.map(|extent| extent as i64);
            let (i, j, values) = (entries.rows.as_ptr(), entries.cols.as_ptr(), entries.values.as_ptr());
            // SAFETY: the three arrays have as many elements as the call says, all inside the shape.
            let failed = unsafe { convert(rows, cols, entries.len() as i64, i, j, values, &mut owned.output) };
            assert_eq!(failed, 0, "plain C: no memory");
            owned
        };
        check(problem, &run().output);
        Some(Contestant::new("plain C", move |shot| shot.time(&run)))
    }

    pub(super) fn compute<'a, T: Element>(&'a self, problem: &'a computation::Problem<T>) -> Option<Contestant<'a>> {
        let computation::Task::Sample { rank } = problem.task else {
            return None;
        };
        // SAFETY: this is the type that `plain.c` declares.
        let sample = unsafe { of_type::<T>(&self.0).get::<Sample<T>>(b"sample") }.expect("plain.c has it");
        let run = move || {
            let mut output = vec![T::default(); problem.rows.values.len()];
            let [rows, cols] = problem.shape.map(|extent| extent as i64);
            let (ptr, idx, values) = (&problem.rows.ptr, &problem.rows.idx, &problem.rows.values);
            let (ptr, idx, values) = (ptr.as_ptr(), idx.as_ptr(), values.as_ptr());
            let (p, q) = (problem.dense.as_ptr(), problem.second.as_ptr());
            // SAFETY: these are compressed rows, `rows` by `rank` and `rank` by `cols` elements, and room for all results.
            unsafe { sample(rows, cols, rank as i64, ptr, idx, values, p, q, output.as_mut_ptr()) };
            output
        };
        problem.check_samples("plain C", &run());
        Some(Contestant::new("plain C", move |shot| shot.time(&run)))
    }

    /// `M[i, r] += X[i, j, k] B[j, r] C[k, r]`, on one thread.
    pub(crate) fn mttkrp<T: Element>(&self, x: &Fibers<T>, rank: usize, m: &mut [T], b: &[T], c: &[T]) {
        assert_eq!([m.len(), b.len(), c.len()], x.shape.map(|extent| extent * rank));
        let slices = (x.shape[0] as i64, x.slices.as_ptr());
        let (rows, starts, cols) = (x.rows.as_ptr(), x.starts.as_ptr(), x.cols.as_ptr());
        let (x, m, b, c) = (x.values.as_ptr(), m.as_mut_ptr(), b.as_ptr(), c.as_ptr());
        // SAFETY: this is the type that `plain.c` declares; the fibers lie in their shape, and so do the factors.
        unsafe {
            let mttkrp = of_type::<T>(&self.0)
                .get::<Mttkrp<T>>(b"mttkrp")
                .expect("plain.c has it");
            mttkrp(slices.0, rank as i64, slices.1, rows, starts, cols, x, b, c, m);
        }
    }

    /// Returns the multiplications and additions per second, on registers alone.
    pub(crate) fn peak<T: Element>(&self, seconds: impl Fn(&mut dyn FnMut()) -> f64) -> f64 {
        const STEPS: i64 = 1 << 20;
        // SAFETY: this is the type that `plain.c` declares.
        let peak = unsafe { of_type::<T>(&self.0).get::<Peak<T>>(b"peak") }.expect("plain.c has it");
        let mut flops = 0.0;
        let best = (0..5).map(|_| {
            seconds(&mut || {
                // SAFETY: it takes any number, and a place for one.
                unsafe { flops = peak(STEPS, &mut T::default()) };
            })
        });
        let best = best.fold(f64::INFINITY, f64::min);
        flops / best
    }
}

/// Checks that the elements are at their places, and nothing else is stored.
fn check<T: Element>(problem: &Problem<T>, output: &Output<T>) {
    let entries = &problem.entries;
    let (rows, count) = (entries.shape[0], output.count as usize);
    // SAFETY: plain.c has filled as many values.
    let values = unsafe { std::slice::from_raw_parts(output.values, count * rows) };
    let nonzeros = values.iter().filter(|&&value| value != T::default()).count();
    assert_eq!(nonzeros, entries.len(), "plain C: other elements");
    let len = if problem.task == Task::Ellpack {
        count * rows
    } else {
        count
    };
    // SAFETY: plain.c has filled as many indices.
    let idx = unsafe { std::slice::from_raw_parts(output.idx, len) };
    let mut slots = vec![0; rows];
    for at in 0..entries.len() {
        let (i, j) = (entries.rows[at] as usize, entries.cols[at] as i32);
        let place = if problem.task == Task::Ellpack {
            slots[i] += 1;
            let place = (slots[i] - 1) * rows + i;
            assert_eq!(idx[place], j, "plain C: another column");
            place
        } else {
            let diag = idx
                .binary_search(&(j - i as i32))
                .expect("plain C: a diagonal is missing");
            diag * rows + i
        };
        assert!(values[place] == entries.values[at], "plain C: another value");
    }
}
