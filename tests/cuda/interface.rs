//! Arrays, values, streams, events, the folder of compiled kernels, errors.

use std::path::Path;
use std::sync::atomic::Ordering;

use unisparse::cuda::{Error, Gpu, Place};
use unisparse::prelude::*;
use unisparse::{ErrorKind, SparseTensor};

use super::stand_in;
use super::{elements, numbers};

#[test]
fn arrays_come_back_as_they_went() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    let before = counters.bytes.load(Ordering::Relaxed);
    {
        let mut x = gpu.upload(&[1.5_f32, -2.0, 3.0][..]).unwrap();
        assert_eq!(
            (x.len(), x.is_empty(), x.download().unwrap()),
            (3, false, vec![1.5, -2.0, 3.0])
        );
        x.set(&[4.0, 5.0, 6.0]).unwrap();
        assert_eq!(x.download().unwrap(), [4.0, 5.0, 6.0]);
        assert_eq!(x.set(&[1.0]), Err(Error::Length { found: 1, expected: 3 }));
        assert_eq!(gpu.zeros::<i16>(5).unwrap().download().unwrap(), [0; 5]);
        let none = gpu.upload(&Vec::<u8>::new()).unwrap();
        assert!(none.is_empty() && none.download().unwrap().is_empty());
        assert!(matches!(gpu.zeros::<f64>(usize::MAX), Err(Error::OutOfMemory { .. })));
    }
    assert_eq!(counters.bytes.load(Ordering::Relaxed), before, "memory is released");
}

/// Replaces the values of a tensor in each format, and multiplies.
macro_rules! with_other_values {
    ($gpu:ident $triplets:ident: $($format:ty),*) => {$({
        let a: $format = $triplets.convert().unwrap();
        let mut on_gpu = $gpu.upload(&a).unwrap();
        let x = numbers(a.shape()[1], 2);
        let (mut y, x_on) = (vec![0.0; a.shape()[0]], $gpu.upload(&x).unwrap());
        let mut found = $gpu.zeros(y.len()).unwrap();
        // Structs of arrays are made with the first values, and again with the others.
        spmv_on(&$gpu, &mut found, &on_gpu, &x_on).unwrap();
        spmv(&mut y, &a, &x).unwrap();
        assert_eq!(found.download().unwrap(), y, stringify!($format));
        let doubled = a.map_values(|value| 2.0 * value);
        let values: Vec<f64> = SparseTensor::values(&doubled).collect();
        on_gpu.set_values(&values).unwrap();
        spmv(&mut y, &doubled, &x).unwrap();
        spmv_on(&$gpu, &mut found, &on_gpu, &x_on).unwrap();
        assert_eq!(found.download().unwrap(), y, stringify!($format));
        let expected = values.len();
        assert_eq!(on_gpu.set_values(&values[1..]), Err(Error::Length { found: expected - 1, expected }));
    })*};
}

#[test]
fn values_are_replaced() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    let triplets = elements([13, 17], 33, 1);
    with_other_values!(gpu triplets: Csr<f64>, Lil<f64>, Dok<f64>, Bell<f64, 4>, BdiaCsr<f64, 4>);
    // Its values cannot be mapped where a query reads them, so a partitioned format is made of doubled elements.
    let a: C2sr<f64, 2> = triplets.convert().unwrap();
    let mut on_gpu = gpu.upload(&a).unwrap();
    let (x, mut y) = (numbers(17, 2), vec![0.0; 13]);
    let (mut found, x_on) = (gpu.zeros(13).unwrap(), gpu.upload(&x).unwrap());
    spmv_on(&gpu, &mut found, &on_gpu, &x_on).unwrap();
    let values: Vec<f64> = SparseTensor::values(&a).map(|value| 3.0 * value).collect();
    on_gpu.set_values(&values).unwrap();
    spmv_on(&gpu, &mut found, &on_gpu, &x_on).unwrap();
    spmv(&mut y, &a, &x).unwrap();
    y.iter_mut().for_each(|sum| *sum *= 3.0);
    assert_eq!(found.download().unwrap(), y);
    // Where the copy fails, the tensor has the values before, and no address of what was released.
    counters.refuses.store(true, Ordering::Relaxed);
    assert!(counters.launches().is_none() || on_gpu.set_values(&vec![0.0; values.len()]).is_err());
    counters.refuses.store(false, Ordering::Relaxed);
    spmv_on(&gpu, &mut found, &on_gpu, &x_on).unwrap();
    assert_eq!(found.download().unwrap(), y);
}

#[test]
fn kernels_are_compiled_once() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cuda-once-{}", std::process::id()));
    let Some((gpu, counters)) = stand_in::open_in(folder.clone()) else {
        return;
    };
    let triplets = elements([13, 17], 33, 1);
    let a: Csr<f64> = triplets.convert().unwrap();
    let multiply = |gpu: &Gpu| {
        let (a, x) = (gpu.upload(&a).unwrap(), gpu.upload(&numbers(17, 2)).unwrap());
        let mut y = gpu.zeros(13).unwrap();
        spmv_on(gpu, &mut y, &a, &x).unwrap();
        spmv_on(gpu, &mut y, &a, &x).unwrap();
        y.download().unwrap()
    };
    let y = multiply(&gpu);
    let count = |counters: &stand_in::Counters| counters.compiled.load(Ordering::Relaxed);
    assert_eq!(count(&counters), 1);
    // Another process finds the file.
    let (other, counters) = stand_in::open_in(folder.clone()).unwrap();
    assert_eq!((multiply(&other), count(&counters)), (y.clone(), 0));
    // A damaged file is replaced.
    let files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    assert_eq!(files.len(), 1);
    let good = std::fs::read(&files[0]).unwrap();
    let mut changed = good.clone();
    *changed.last_mut().unwrap() ^= 1;
    for damaged in [
        &b"damaged"[..],
        &good[..good.len() / 2],
        &good[..good.len() - 1],
        &changed,
        b"",
    ] {
        std::fs::write(&files[0], damaged).unwrap();
        let (other, counters) = stand_in::open_in(folder.clone()).unwrap();
        assert_eq!((multiply(&other), count(&counters)), (y.clone(), 1));
        assert!(std::fs::read(&files[0]).unwrap() != damaged);
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// A lane has up to four columns, and fewer lanes pass a row more often.
#[test]
fn lanes_follow_from_the_columns() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cuda-lanes-{}", std::process::id()));
    let Some((gpu, counters)) = stand_in::open_in(folder.clone()) else {
        return;
    };
    let (rows, cols) = (13, 17);
    let a: Csr<f64> = elements([rows, cols], 33, 1).convert().unwrap();
    let on_gpu = gpu.upload(&a).unwrap();
    // Three columns take four lanes, four columns one, the others eight.
    for (columns, compiled) in [(3, 1), (4, 2), (33, 3), (70, 3)] {
        let (b, mut c) = (numbers(cols * columns, 2), vec![0.0; rows * columns]);
        spmm(&mut c, &a, &b).unwrap();
        let mut found = gpu.zeros(rows * columns).unwrap();
        spmm_on(&gpu, &mut found, &on_gpu, &gpu.upload(&b).unwrap()).unwrap();
        assert_eq!(found.download().unwrap(), c, "{columns} columns");
        assert_eq!(counters.compiled.load(Ordering::Relaxed), compiled, "{columns} columns");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn streams_and_events() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    let a = Csr::try_from_triplets([2, 2], [([0, 1], 2.0), ([1, 0], 3.0)]).unwrap();
    let (a, x) = (gpu.upload(&a).unwrap(), gpu.upload(&[1.0, 10.0]).unwrap());
    let [mut y, mut z] = [gpu.zeros(2).unwrap(), gpu.zeros(2).unwrap()];
    let other = gpu.stream().unwrap();
    let start = gpu.record().unwrap();
    spmv_on(&gpu, &mut y, &a, &x).unwrap();
    let end = gpu.record().unwrap();
    other.wait(&end).unwrap();
    spmv_on(&other, &mut z, &a, &y).unwrap();
    other.synchronize().unwrap();
    gpu.synchronize().unwrap();
    assert_eq!(
        (y.download().unwrap(), z.download().unwrap()),
        (vec![20.0, 3.0], vec![6.0, 60.0])
    );
    assert!(end.since(&start).is_ok());
    assert!(counters.launches().is_none_or(|launches| launches == 2));
}

/// Without a wait, the second product does not see the result of the first one: the stand-in runs the stream that was opened
/// last first.
#[test]
fn a_lost_wait_is_seen() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    if counters.launches().is_none() {
        return; // A device may run both in any order.
    }
    let a = Csr::try_from_triplets([2, 2], [([0, 1], 2.0), ([1, 0], 3.0)]).unwrap();
    let (a, x) = (gpu.upload(&a).unwrap(), gpu.upload(&[1.0, 10.0]).unwrap());
    for waits in [true, false] {
        let [mut y, mut z] = [gpu.zeros(2).unwrap(), gpu.zeros(2).unwrap()];
        let other = gpu.stream().unwrap();
        spmv_on(&gpu, &mut y, &a, &x).unwrap();
        if waits {
            other.wait(&gpu.record().unwrap()).unwrap();
        }
        spmv_on(&other, &mut z, &a, &y).unwrap();
        let expected = if waits { [6.0, 60.0] } else { [0.0, 0.0] };
        assert_eq!(
            (z.download().unwrap(), y.download().unwrap()),
            (expected.to_vec(), vec![20.0, 3.0])
        );
    }
}

/// Copies to the device are not ordered with the work of streams: what replaces elements waits for it.
#[test]
fn replaced_elements_are_not_seen_by_work_before() {
    let Some((gpu, _)) = stand_in::open() else { return };
    let a = Csr::try_from_triplets([2, 2], [([0, 1], 2.0), ([1, 0], 3.0)]).unwrap();
    let (mut a, mut x) = (gpu.upload(&a).unwrap(), gpu.upload(&[1.0, 10.0]).unwrap());
    let [mut y, mut z, mut w] = [0; 3].map(|_| gpu.zeros(2).unwrap());
    spmv_on(&gpu, &mut y, &a, &x).unwrap();
    x.set(&[0.5, 1.0]).unwrap();
    spmv_on(&gpu, &mut z, &a, &x).unwrap();
    a.set_values(&[20.0, 30.0]).unwrap();
    spmv_on(&gpu, &mut w, &a, &x).unwrap();
    x.clear().unwrap();
    let found = [&y, &z, &w].map(|array| array.download().unwrap());
    assert_eq!(found, [vec![20.0, 3.0], vec![2.0, 1.5], vec![20.0, 15.0]]);
}

/// A row with nearly all elements is divided among groups of lanes: a launch for the rows, and one for the parts of sums.
#[test]
fn long_rows_are_divided() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    let (rows, cols) = (64, 8000);
    for (is_long, launches) in [(false, 1), (true, 2)] {
        let mut triplets = Triplets::new([rows, cols]);
        for (row, number) in numbers(rows, 1).into_iter().enumerate() {
            for col in (0..cols).filter(|col| (is_long && row == 7) || col % 1000 == row) {
                triplets.push([row, col], number).unwrap();
            }
        }
        let a: Csr<f64> = triplets.convert().unwrap();
        let (x, mut y) = (numbers(cols, 2), vec![0.0; rows]);
        spmv(&mut y, &a, &x).unwrap();
        // More columns than a group has lanes.
        let columns = 35;
        let (b, mut c) = (numbers(cols * columns, 3), vec![0.0; rows * columns]);
        spmm(&mut c, &a, &b).unwrap();
        // Many groups have a part of the long row, and leave carries.
        let in_order: Coo<f64> = triplets.convert().unwrap();
        let (a, in_order) = (gpu.upload(&a).unwrap(), gpu.upload(&in_order).unwrap());
        let (x, b) = (gpu.upload(&x).unwrap(), gpu.upload(&b).unwrap());
        for schedule in 0..3 {
            counters.schedule.store(schedule, Ordering::Relaxed);
            let mut found = gpu.zeros(rows).unwrap();
            spmv_on(&gpu, &mut found, &in_order, &x).unwrap();
            assert_eq!(found.download().unwrap(), y);
            let before = counters.launches();
            let mut found = gpu.zeros(rows).unwrap();
            spmv_on(&gpu, &mut found, &a, &x).unwrap();
            assert_eq!(found.download().unwrap(), y);
            assert_eq!(counters.launches(), before.map(|before| before + launches));
            let mut found = gpu.zeros(rows * columns).unwrap();
            spmm_on(&gpu, &mut found, &a, &b).unwrap();
            assert_eq!(found.download().unwrap(), c);
            assert_eq!(counters.launches(), before.map(|before| before + 2 * launches));
        }
    }
}

sparse_kernel! {
    #[target(cuda)]
    pub fn sampled: D[i, j] = A[i, j] * P[i, k] * Q[k, j] where A: Csr;
}

/// Where each part of a row leaves as many carries as the output has columns, only as many groups divide the rows as leave no
/// more carries than there are operands.
#[test]
fn rows_are_divided_as_far_as_there_is_room_for_carries() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    // Groups have a lane for a few terms of the sums: of three in the second case, so that a block would have too many groups.
    for (rows, cols, ranks, launches) in [(10, 2000, 50, 2), (20, 5000, 3, 1)] {
        let long = |row| (0..cols).filter(move |col| row == 7 || col % 1000 == row);
        let elements = (0..rows).flat_map(|row| long(row).map(move |col| ([row, col], (1 + col % 3) as f64)));
        let a = Csr::try_from_triplets([rows, cols], elements).unwrap();
        let (p, q, mut d) = (
            numbers(rows * ranks, 2),
            numbers(ranks * cols, 3),
            vec![0.0; rows * cols],
        );
        sampled(&mut d, &a, &p, &q).unwrap();
        let (a, p, q) = (
            gpu.upload(&a).unwrap(),
            gpu.upload(&p).unwrap(),
            gpu.upload(&q).unwrap(),
        );
        let (before, bytes) = (counters.launches(), counters.bytes.load(Ordering::Relaxed));
        let mut found = gpu.zeros(rows * cols).unwrap();
        sampled_on(&gpu, &mut found, &a, &p, &q).unwrap();
        assert_eq!(found.download().unwrap(), d);
        assert_eq!(counters.launches(), before.map(|before| before + launches));
        let operands = d.len() + p.len() + q.len() + d.len();
        assert!(counters.bytes.load(Ordering::Relaxed) - bytes <= (operands * size_of::<f64>()) as u64);
    }
}

/// Only launches that leave carries need room for them: not those that zero the output, however many threads they have.
#[test]
fn room_is_for_launches_that_leave_carries() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    let (rows, columns) = (16, 1024);
    let mut triplets = Triplets::new([rows, 2]);
    triplets.push([1, 1], 2.0).unwrap();
    let b = numbers(2 * columns, 1);
    let b_on = gpu.upload(&b).unwrap();
    let mut expected = vec![0.0; rows * columns];
    expected[columns..2 * columns]
        .iter_mut()
        .zip(&b[columns..])
        .for_each(|(sum, b)| *sum = 2.0 * b);
    let (coo, csr): (Coo<f64>, Csr<f64>) = (triplets.convert().unwrap(), triplets.convert().unwrap());
    let (coo, csr) = (gpu.upload(&coo).unwrap(), gpu.upload(&csr).unwrap());
    let mut found = gpu.zeros(rows * columns).unwrap();
    let bytes = || counters.bytes.load(Ordering::Relaxed);
    let before = bytes();
    spmm_on(&gpu, &mut found, &csr, &b_on).unwrap();
    assert_eq!((found.download().unwrap(), bytes()), (expected.clone(), before));
    spmm_on(&gpu, &mut found, &coo, &b_on).unwrap();
    assert_eq!(found.download().unwrap(), expected);
    // One block.
    assert!(
        bytes() - before <= (256 * columns * size_of::<f64>()) as u64,
        "{}",
        bytes() - before
    );
}

#[test]
fn operands_that_do_not_fit_are_refused() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    let a = Csr::try_from_triplets([2, 3], [([0, 1], 2.0)]).unwrap();
    let (on_gpu, x) = (gpu.upload(&a).unwrap(), gpu.upload(&[1.0; 3]).unwrap());
    let mut y = gpu.zeros(3).unwrap();
    let Err(Error::Host(error)) = spmv_on(&gpu, &mut y, &on_gpu, &x) else {
        panic!("is not refused")
    };
    assert_eq!((error.kind(), error.kernel()), (ErrorKind::Shape, Some("spmv")));
    assert_eq!(
        spmv(&mut [0.0; 3], &a, &[1.0; 3]).unwrap_err(),
        error,
        "the error is that of the processor"
    );
    let (other, _) = stand_in::open().unwrap();
    let mut y = other.zeros(2).unwrap();
    assert_eq!(spmv_on(&gpu, &mut y, &on_gpu, &x), Err(Error::OtherDevice));
    let event = other.record().unwrap();
    assert_eq!(gpu.wait(&event), Err(Error::OtherDevice));
    assert!(counters.launches().is_none_or(|launches| launches == 0));
}

#[test]
fn parts_of_a_hybrid_in_different_places() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    let triplets = elements([40, 33], 20, 1);
    let a: BdiaCsr<f64, 4> = BdiaCsr::split(&triplets, 1).unwrap();
    let (dense, rest) = a.parts();
    assert!(dense.nnz() > 0 && rest.nnz() > 0);
    let (x, mut y) = (numbers(33, 2), vec![7.0; 40]);
    let mut expected = vec![0.0; 40];
    spmv(&mut expected, &a, &x).unwrap();
    for places in [
        [Place::Gpu, Place::Cpu],
        [Place::Cpu, Place::Gpu],
        [Place::Gpu; 2],
        [Place::Cpu; 2],
    ] {
        let mut placed = gpu.place(&a, places).unwrap();
        for _ in 0..2 {
            placed.run(&mut y, &x, spmv_on, spmv).unwrap();
            assert_eq!(y, expected, "{places:?}");
        }
        let count = |part: usize, nnz| if places[part] == Place::Cpu { nnz } else { 0 };
        assert_eq!(placed.on_cpu().nnz(), count(0, dense.nnz()) + count(1, rest.nnz()));
    }
    let found = gpu
        .place(&a, [Place::Gpu, Place::Cpu])
        .unwrap()
        .run(&mut y, &x[1..], spmv_on, spmv);
    assert!(matches!(found, Err(Error::Host(_))), "{found:?}");
    assert!(counters.launches().is_none_or(|launches| launches > 0));
}

/// Where there is no driver or no device, that is an error.
#[test]
fn opening_a_device_never_panics() {
    match Gpu::open(0) {
        Ok(gpu) => assert!(gpu.capability() >= 80, "{gpu:?}"),
        Err(error) => {
            let is_absent = matches!(
                error,
                Error::NoDriver
                    | Error::NoDevice { .. }
                    | Error::OldDriver { .. }
                    | Error::TooOld { .. }
                    | Error::Driver { .. }
            );
            assert!(is_absent, "{error}");
        }
    }
    assert!(Gpu::open(usize::MAX).is_err());
}

/// All other tests run on a device with `UNISPARSE_GPU=1`, one at a time: `tests/gpu/run`.
#[test]
#[ignore = "needs a device of CUDA"]
fn a_product_on_a_device() {
    let gpu = Gpu::open(0).unwrap();
    let a: Csr<f64> = elements([300, 200], 10, 1).convert().unwrap();
    let (x, mut y) = (numbers(200, 2), vec![0.0; 300]);
    spmv(&mut y, &a, &x).unwrap();
    let mut found = gpu.zeros(300).unwrap();
    spmv_on(&gpu, &mut found, &gpu.upload(&a).unwrap(), &gpu.upload(&x).unwrap()).unwrap();
    assert_eq!(found.download().unwrap(), y);
}
