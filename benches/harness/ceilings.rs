//! The limits of the machine, measured in the same run: streams as in STREAM, from memory and from the caches.

use std::hint::black_box;

use rayon::prelude::*;

use super::matrices::Element;
use super::measure::{Cache, Clock, Contestant, Rules, Shot, in_parts, measure};
use super::memory::on_large_pages;
use super::peers::Shims;

/// Bytes per second.
#[derive(Clone, Copy)]
pub(crate) struct Streams {
    /// `s += a[i]`
    pub read: f64,
    /// `b[i] = a[i]`; reads and writes both count.
    pub copy: f64,
    /// `a[i] = b[i] + s c[i]`
    pub triad: f64,
}

/// The limits for one element type and number of threads.
#[derive(Clone, Copy)]
pub(crate) struct Ceilings {
    pub threads: usize,
    pub scalar: &'static str,
    pub memory: Streams,
    pub caches: Streams,
    /// Multiplications and additions per second, if there is a C compiler.
    pub peak: Option<f64>,
}

/// The total sizes of the streams in bytes: far beyond the caches, and within the third-level cache.
const SIZES: [usize; 2] = [384 << 20, 9 << 20];

impl Ceilings {
    pub(crate) fn measure<T: Element>(rules: Rules, shims: &Shims, threads: usize, quick: bool) -> Self {
        let [memory, caches] = SIZES.map(|bytes| streams(if quick { bytes / 64 } else { bytes }, rules));
        let one = Shot {
            clock: Clock::Thread,
            repeats: 1,
        };
        let peak = shims
            .c
            .as_ref()
            .map(|c| c.peak::<T>(|work| one.once(work)) * threads as f64);
        let ceilings = Ceilings {
            threads,
            scalar: T::NAME,
            memory,
            caches,
            peak,
        };
        ceilings.print();
        ceilings
    }

    fn print(&self) {
        let plural = if self.threads == 1 { "" } else { "s" };
        print!("ceilings {}, {} thread{plural}, GB/s:", self.scalar, self.threads);
        for (name, streams) in [("memory", self.memory), ("caches", self.caches)] {
            let [read, copy, triad] = [streams.read, streams.copy, streams.triad].map(|rate| rate / 1e9);
            print!(" {name} read {read:.1} copy {copy:.1} triad {triad:.1};");
        }
        match self.peak {
            Some(peak) => println!(" {:.1} GFLOP/s in registers", peak / 1e9),
            None => println!(),
        }
    }
}

/// Sums many numbers with the vector instructions that kernels use.
pub(crate) fn read(numbers: &[f64]) -> f64 {
    unisparse::__private::multiversioned(
        #[inline(always)]
        |_| sum(numbers),
    )
}

/// Four streams at once, because one does not saturate the memory.
#[inline(always)]
fn sum(numbers: &[f64]) -> f64 {
    let quarter = numbers.len() / 4 / 8 * 8;
    let (first, rest) = numbers.split_at(quarter);
    let (second, rest) = rest.split_at(quarter);
    let (third, fourth) = rest.split_at(quarter);
    let mut sums = [[0.0; 8]; 4];
    let [left, right] = [(first, second), (third, fourth)].map(|(a, b)| a.chunks_exact(8).zip(b.chunks_exact(8)));
    for ((a, b), (c, d)) in left.zip(right) {
        for (sums, chunk) in sums.iter_mut().zip([a, b, c, d]) {
            for (sum, number) in sums.iter_mut().zip(chunk) {
                *sum += number;
            }
        }
    }
    sums.iter().flatten().sum()
}

/// Returns a contestant that only reads this many bytes.
pub(crate) fn reader<'a>(bytes: usize) -> Contestant<'a> {
    let numbers = on_large_pages(1.0, bytes.div_ceil(8));
    Contestant::new("read", move |shot| shot.time(|| in_parts(&numbers, read))).of_bytes(bytes)
}

fn streams(bytes: usize, rules: Rules) -> Streams {
    let len = bytes / 3 / 8;
    let [a, b, mut c, mut d] = [1.0, 2.0, 0.0, 0.0].map(|number| on_large_pages(number, len));
    let part = len.div_ceil(rayon::current_num_threads());
    let (a, b) = (&a, &b);
    let mut contestants = vec![
        reader(bytes),
        Contestant::new("copy", |shot| {
            shot.time(|| {
                c.par_chunks_mut(part)
                    .zip(a.par_chunks(part))
                    .for_each(|(c, a)| c.copy_from_slice(a));
                black_box(&mut c[0]);
            })
        }),
        Contestant::new("triad", |shot| {
            shot.time(|| {
                let parts = d.par_chunks_mut(part).zip(a.par_chunks(part).zip(b.par_chunks(part)));
                parts.for_each(|(d, (a, b))| {
                    for (d, (a, b)) in d.iter_mut().zip(a.iter().zip(b)) {
                        *d = a + 3.0 * b;
                    }
                });
                black_box(&mut d[0]);
            })
        }),
    ];
    let times = measure(
        &mut contestants,
        Rules {
            cache: Cache::Warm,
            ..rules
        },
    );
    Streams {
        read: bytes as f64 / times[0].median,
        copy: 16.0 * len as f64 / times[1].median,
        triad: 24.0 * len as f64 / times[2].median,
    }
}
