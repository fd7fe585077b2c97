//! The time for each element as matrices grow far beyond the caches: uniform random, 16 elements in each row, in `f32`.

use unisparse::formats::{Csc, Csr, Sell};
use unisparse::{Limit, SparseTensor, TripletsView};

use super::harness::matrices::{Arrangement, Entries, Recipe};
use super::harness::measure::{Contestant, Rules, Times, measure};

/// Numbers of elements.
const SIZES: [f64; 4] = [1e5, 1e6, 1e7, 6e7];
const PER_ROW: usize = 16;
const CONVERSIONS: [&str; 3] = ["shuffled triplets -> Csr", "Csr -> Csc", "Csc -> Sell<8, 4096>"];

/// Measures all sizes, and prints them.
pub(super) fn print(scale: f64, rules: Rules) {
    let sizes = SIZES.map(|size| ((size * scale) as usize / PER_ROW).max(1));
    let columns = sizes.map(|extent| times(extent, rules));
    println!("\n### Nanoseconds for each element, uniform, {PER_ROW} a row, f32\n");
    println!(
        "| | {} |",
        sizes.map(|extent| (extent * PER_ROW).to_string()).join(" | ")
    );
    println!("|---|{}", "---|".repeat(sizes.len()));
    for (number, conversion) in CONVERSIONS.iter().enumerate() {
        let cells = columns.iter().zip(sizes).map(|(times, extent)| {
            let times = times[number];
            let each = times.median / (extent * PER_ROW) as f64 * 1e9;
            format!("{each:.1} ({:.0} %)", times.spread())
        });
        println!("| {conversion} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
}

/// Returns the times of the conversions of a matrix with this extent.
fn times(extent: usize, rules: Rules) -> Vec<Times> {
    let entries = Recipe::uniform(extent, PER_ROW)
        .entries::<f32>()
        .expect("it is generated");
    let shuffled = entries.arranged(Arrangement::Shuffled);
    let coordinates = [&shuffled.rows[..], &shuffled.cols[..]];
    let triplets = TripletsView::try_new(shuffled.shape, coordinates, &shuffled.values).expect("inside the shape");
    let limit = Limit::none();
    let csr: Csr<f32> = triplets.convert_within(limit).expect("it fits");
    let csc: Csc<f32> = csr.convert_within(limit).expect("it fits");
    let sell: Sell<f32, 8, 4096> = csc.convert_within(limit).expect("it fits");
    check(&csr, &entries);
    check(&csc, &entries);
    check(&sell, &entries);
    drop(sell);
    let mut contestants = [
        Contestant::ours("Csr", |shot| shot.time(|| triplets.convert_within::<Csr<f32>>(limit))),
        Contestant::ours("Csc", |shot| shot.time(|| csr.convert_within::<Csc<f32>>(limit))),
        Contestant::ours("Sell", |shot| {
            shot.time(|| csc.convert_within::<Sell<f32, 8, 4096>>(limit))
        }),
    ];
    measure(&mut contestants, rules)
}

/// Checks that a tensor has exactly these elements, in any order.
fn check<F: SparseTensor<2, Scalar = f32>>(tensor: &F, entries: &Entries<f32>) {
    let mixed = |i: usize, j: usize, value: f32| {
        let place = (i as u64) << 32 | j as u64;
        (place ^ u64::from(value.to_bits()) << 16)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    };
    let (mut count, mut sum) = (0, 0u64);
    tensor.for_each(|[i, j], value| {
        count += 1;
        sum = sum.wrapping_add(mixed(i, j, value));
    });
    let places = entries.rows.iter().zip(&entries.cols).zip(&entries.values);
    let expected = places.fold(0u64, |sum, ((&i, &j), &value)| {
        sum.wrapping_add(mixed(i as usize, j as usize, value))
    });
    assert_eq!((count, sum), (entries.len(), expected), "{}: other elements", F::NAME);
}
