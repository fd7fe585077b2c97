use super::gathered::are_scattered;
use crate::array::stream::within;
use crate::array::{Domain, Indices, Pointers};
use crate::element::Scalar;

/// Returns the sum in the order that `total` promises.
fn expected<T: Scalar<Sum = T>>(terms: &[T]) -> T {
    let whole = if terms.len() < 8 { 0 } else { terms.len() / 4 * 4 };
    let mut sums = [T::ZERO; 8];
    for (at, &term) in terms[..whole].iter().enumerate() {
        sums[at % 8] = sums[at % 8].plus(term);
    }
    for half in [4, 2, 1] {
        for at in 0..half {
            sums[at] = sums[at].plus(sums[at + half]);
        }
    }
    terms[whole..].iter().fold(sums[0], |sum, &term| sum.plus(term))
}

/// Compares all dot products of up to 70 items with those of a plain loop, bit for bit.
fn check<T: Scalar<Sum = T>>(number: impl Fn(i64) -> T, bits: impl Fn(T) -> u64) {
    let size = 50;
    let entries: Vec<u32> = (0..70u32).map(|at| at * 7919 % size).collect();
    let domain = Domain {
        lo: 0,
        size: size as usize,
    };
    let indices = Indices::try_new("col", entries.clone(), domain).unwrap();
    let values: Vec<T> = (0..70).map(|at| number(at * at - 900)).collect();
    let data: Vec<T> = (0..i64::from(size)).map(|at| number(3 * at - 40)).collect();
    for start in [0, 1, 13] {
        for count in 0..=70 - start {
            let range = start..start + count;
            let terms: Vec<T> = range
                .clone()
                .map(|at| values[at].times(data[entries[at] as usize]))
                .collect();
            let found = within((&values[..], indices.gather(&data)), range.clone(), 0).dot();
            assert_eq!(bits(found), bits(expected(&terms)), "{range:?}");
            let total = within(&terms[..], 0..count, 0).total(T::ZERO, T::plus, |term| term);
            assert_eq!(bits(total), bits(found), "{range:?}");
        }
    }
    // Fibers of 0 to 11 and of 4 items, of which the first is left out.
    let starts: Vec<u32> = (0..12).map(|fiber| fiber * (fiber + 1) / 2).chain([66, 70]).collect();
    let pointers = Pointers::try_new("row", starts.clone()).unwrap();
    let segments = pointers.over((&values[..], indices.gather(&data)));
    // What comes after the sums stays.
    let mut sums = [T::ONE; 13];
    segments.dots(1..13, &mut sums);
    assert_eq!(bits(sums[12]), bits(T::ONE));
    for (fiber, sum) in (1..13).zip(sums) {
        let [start, end] = [fiber, fiber + 1].map(|at| starts[at] as usize);
        let terms: Vec<T> = (start..end)
            .map(|at| values[at].times(data[entries[at] as usize]))
            .collect();
        assert_eq!(bits(sum), bits(expected(&terms)), "fiber {fiber}");
    }
}

#[test]
fn dot_products_of_any_length_are_added_in_the_promised_order() {
    check(|number| number as f64 / 7.0, f64::to_bits);
    check(|_| -0.0, f64::to_bits);
    check(|number| number as f32 / 7.0, |sum| sum.to_bits().into());
    check(|number| number, i64::cast_unsigned);
    check(
        |number| num_complex::Complex::new(number as f64 / 7.0, number as f64),
        |sum| sum.re.to_bits() ^ sum.im.to_bits().rotate_left(1),
    );
}

#[test]
#[should_panic(expected = "high <= self.parents")]
fn parents_past_the_last_are_refused() {
    let domain = Domain { lo: 0, size: 1 };
    let indices = Indices::try_new("col", vec![0u32; 3], domain).unwrap();
    let pointers = Pointers::try_new("row", vec![0u32, 1, 3]).unwrap();
    let segments = pointers.over((&[1.0, 2.0, 3.0][..], indices.gather(&[1.0])));
    segments.dots(0..3, &mut [0.0; 3]);
}

/// Compares the dot products of fibers of ten entries with those of a plain loop, where both arrays are large and the entries scattered,
/// so that what is gathered is prefetched.
fn check_far<T: Scalar<Sum = T>>(number: impl Fn(usize) -> T) {
    let (fibers, size) = (120_000, 6_000_000 / size_of::<T>());
    let entries: Vec<u32> = (0..10 * fibers).map(|at| (at * 786_433 % size) as u32).collect();
    assert!(are_scattered(&&entries[..], 0..entries.len(), size_of::<T>()));
    let indices = Indices::try_new("col", entries.clone(), Domain { lo: 0, size }).unwrap();
    let values: Vec<T> = (0..10 * fibers).map(|at| number(at % 17)).collect();
    let data: Vec<T> = (0..size).map(|at| number(at % 29)).collect();
    let pointers = Pointers::try_new("row", (0..=fibers as u32).map(|fiber| 10 * fiber).collect::<Vec<u32>>()).unwrap();
    let segments = pointers.over((&values[..], indices.gather(&data)));
    assert!(segments.is_far() && segments.gathers_far(0..10 * fibers));
    let mut sums = vec![T::ZERO; fibers];
    segments.dots(0..fibers, &mut sums);
    for (fiber, &sum) in sums.iter().enumerate() {
        let term = |at: usize| values[at].times(data[entries[at] as usize]);
        let terms: Vec<T> = (10 * fiber..10 * fiber + 10).map(term).collect();
        assert!(sum == expected(&terms), "fiber {fiber}");
    }
}

#[test]
fn dot_products_of_large_vectors() {
    check_far(|number| number as f64);
    check_far(|number| number as f32);
}

#[test]
fn scattered_are_entries_on_cache_lines_of_their_own() {
    let scattered = |index: &dyn Fn(usize) -> usize| {
        let entries: Vec<u32> = (0..4000).map(|at| index(at) as u32).collect();
        are_scattered(&&entries[..], 0..entries.len(), 8)
    };
    assert!(scattered(&|at| at * 786_433 % 1_000_003));
    // Far from the entry before, near one of the row before: five diagonals.
    assert!(!scattered(
        &|at| at / 5 + [0, 999_000, 1_000_000, 1_001_000, 2_000_000][at % 5]
    ));
    assert!(!scattered(&|at| at * 786_433 % 500));
    assert!(!scattered(&|at| at));
    // Too few to know.
    let few: Vec<u32> = (0..380).map(|at| at * 9973).collect();
    assert!(!are_scattered(&&few[..], 0..380, 8));
}
