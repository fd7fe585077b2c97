//! Tensors written and read through `serde`, as text and as bytes: every kind of format, every kind of element, and data with
//! faults.

use std::alloc::{self, GlobalAlloc, System};
use std::fmt::Debug;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::{ProptestConfig, any, prop, proptest};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use unisparse::prelude::*;
use unisparse::{Complex64, Narrow, Pattern, TripletsView, bf16, f16};

sparse_format! {
    format Anti = |i, j| (anti: i + j, diff: j - i) { merge(anti); trim(anti..=diff); }
    format Wide = |i, j| (diag: j - i, row: i) { merge(diag); trim(diag..=row); index(diag: i64, row: u64); }
    format Banks<const B: usize = 2> = |i, j| (bank: i % B, local: i / B, col: j)
        { merge(bank, local); trim(col); partition(bank); pack(col..=col); }
    format Packed = |i, j| (l0: i / 128, l1: i / 64 % 2, l2: i / 32 % 2, l3: i / 16 % 2, l4: i / 8 % 2, l5: i / 4 % 2, l6: i / 2 % 2, l7: i % 2,
        l8: j / 128, l9: j / 64 % 2, la: j / 32 % 2, lb: j / 16 % 2, lc: j / 8 % 2, ld: j / 4 % 2, le: j / 2 % 2, lf: j % 2)
        { trim(l0..=lf); pack(l0..=lf); }
    format Other<const B: usize = 3> = |i, j| (brow: i / B, bcol: j / B, r: i % B, c: j % B)
        { merge(brow, bcol); trim(bcol); }
    format Layout = |i, j| (diag: j - i, row: i) { merge(diag); trim(diag); }
    /// A field has the name of a part.
    hybrid Mixed = Layout + Csr split sum(value != 0 => 1, _ => 0).group_by(j - i) > threshold;
}

#[cfg(every_product)]
sparse_format! {
    format DiagonalTiles = |i, j| (tile: (j - i) / 4, i, (j - i) % 4) { merge(tile); trim(tile); }
    format Checkers = |i, j| (brow: i / 3, bcol: j / 2, r: i % 3, c: j % 2)
        { merge(brow, bcol, r); trim(bcol); trim(c); index(c: u8); pointer(u64); }
    format Dense = |i, j| (row: i, col: j) {}
}

/// Counts the bytes that are allocated at once.
struct Counted;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all calls go to the system's allocator.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: alloc::Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(held, Ordering::Relaxed);
        // SAFETY: as the caller's.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: alloc::Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller's.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counted = Counted;

/// The tests of this file run one at a time, so that each counts its own bytes.
static ALONE: Mutex<()> = Mutex::new(());

/// Calls a macro with formats of two dims: with some, and with `RUSTFLAGS="--cfg every_product"` with more.
macro_rules! formats {
    ($each:ident) => {
        $each! {
            Coo<f64>, Csr<f64>, Dcsr<f64>, Bcsr<f64, 2, 3>, Bdia<f64, 4>, Sell<f64, 2, 4>, Cisr<f64, 3>, BellCoo<f64, 2>,
            Anti<f64>, Wide<f64>, Banks<f64, 3>, Packed<f64>, Other<f64>, Mixed<f64>
        }
        #[cfg(every_product)]
        $each! {
            Csc<f64>, Dia<f64>, Csb<f64, 4>, HiCoo<f64, 4>, Ell<f64>, Jds<f64>, Bell<f64, 3>, C2sr<f64, 2>, CisrPlus<f64, 2>,
            Serpens<f64, 4, 8, 3>, Dok<f64>, Lil<f64>, BdiaCsr<f64, 4>, DiagonalTiles<f64>, Checkers<f64>, Dense<f64>
        }
    };
}

/// Writes a tensor as text and as bytes, and reads both again.
fn round_trip<F: SparseTensor<2, Scalar = f64> + Serialize + DeserializeOwned>(elements: &Triplets<f64, 2>) {
    let a: F = elements.convert().unwrap();
    let (text, bytes) = (serde_json::to_string(&a).unwrap(), postcard::to_stdvec(&a).unwrap());
    let (of_text, of_bytes): (F, F) = (
        serde_json::from_str(&text).unwrap(),
        postcard::from_bytes(&bytes).unwrap(),
    );
    let all = |a: &F| {
        let mut all = Vec::new();
        a.for_each(|at, value| all.push((at, value)));
        (a.shape(), all)
    };
    assert_eq!((all(&of_text), all(&of_bytes)), (all(&a), all(&a)), "{}", F::NAME);
    // The bytes are those of all members.
    assert_eq!(postcard::to_stdvec(&of_text).unwrap(), bytes, "{}", F::NAME);
    assert_eq!(postcard::to_stdvec(&of_bytes).unwrap(), bytes, "{}", F::NAME);
}

/// Reads text that may have faults. What is read holds just what the text says, and is the storage of its
/// elements.
fn read_any<F: SparseTensor<2, Scalar = f64> + Serialize + DeserializeOwned>(text: &Value) -> bool {
    let Ok(a) = serde_json::from_value::<F>(text.clone()) else {
        return false;
    };
    assert!(same(&serde_json::to_value(&a).unwrap(), text), "{}: {text}", F::NAME);
    // An element of a hybrid may be in any part, and holes may have any coordinate that a query gives to elements.
    if F::ENCODINGS.len() == 1 && F::ENCODINGS[0].queries.is_empty() {
        let again: F = a.convert_within(Limit::none()).unwrap();
        assert!(
            same(&serde_json::to_value(&again).unwrap(), text),
            "{}: {text}",
            F::NAME
        );
    }
    true
}

/// Returns whether two texts are equal. A whole number is also written without a point.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.keys().eq(right.keys()) && left.values().zip(right.values()).all(|(left, right)| same(left, right))
        }
        _ => left == right,
    }
}

/// Changes one number or one array of a text, below the layout.
fn corrupt(value: &mut Value, choices: &[u64]) {
    let [choice, others @ ..] = choices else { return };
    let choose = |count: usize| (*choice % count.max(1) as u64) as usize;
    match value {
        Value::Object(members) => {
            let at = choose(members.len() - 1);
            if let Some((_, member)) = members.iter_mut().filter(|(name, _)| *name != "layout").nth(at) {
                corrupt(member, others);
            }
        }
        Value::Array(items) if items.is_empty() => items.push(json!(choice)),
        Value::Array(items) => match choice % 8 {
            0 => drop(items.pop()),
            1 => items.push(items[0].clone()),
            2 => items.reverse(),
            _ => {
                let at = choose(items.len());
                corrupt(&mut items[at], others);
            }
        },
        _ => {
            *value = [
                json!(0),
                json!(1),
                json!(-1),
                json!(choice % 7),
                json!(u64::MAX),
                json!(1u64 << 40),
                json!(u32::MAX),
            ][choose(7)]
            .clone()
        }
    }
}

fn elements([rows, cols]: [usize; 2], seed: &[(usize, usize, i8)]) -> Triplets<f64, 2> {
    let inside = seed.iter().filter(|_| rows * cols > 0);
    let elements = inside.map(|&(i, j, value)| ([i % rows, j % cols], f64::from(value) + 0.5));
    Triplets::try_from_triplets([rows, cols], elements).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    #[test]
    fn every_format_reads_what_it_wrote(rows in 0..10usize, cols in 0..10usize, seed in prop::collection::vec(any::<(usize, usize, i8)>(), 0..40)) {
        let _alone = ALONE.lock();
        let elements = elements([rows, cols], &seed);
        macro_rules! each { ($($format:ty),*) => { $(round_trip::<$format>(&elements);)* } }
        formats!(each);
        let (text, bytes) = (serde_json::to_string(&elements).unwrap(), postcard::to_stdvec(&elements).unwrap());
        assert_eq!(serde_json::from_str::<Triplets<f64, 2>>(&text).unwrap(), elements);
        assert_eq!(postcard::from_bytes::<Triplets<f64, 2>>(&bytes).unwrap(), elements);
    }

    #[test]
    fn text_with_faults_is_refused_or_valid(seed in prop::collection::vec(any::<(usize, usize, i8)>(), 0..40), choices in prop::array::uniform8(any::<u64>())) {
        let _alone = ALONE.lock();
        let elements = elements([7, 9], &seed);
        macro_rules! each {
            ($($format:ty),*) => {$(
                let mut text = serde_json::to_value(elements.convert::<$format>().unwrap()).unwrap();
                assert!(read_any::<$format>(&text));
                corrupt(&mut text, &choices);
                bounded::<$format>(|| { read_any::<$format>(&text); });
            )*};
        }
        formats!(each);
    }

    #[test]
    fn bytes_with_faults_are_refused_or_valid(
        seed in prop::collection::vec(any::<(usize, usize, i8)>(), 0..40),
        faults in prop::collection::vec((any::<usize>(), any::<u8>()), 1..4),
        length in any::<usize>(),
    ) {
        let _alone = ALONE.lock();
        let elements = elements([7, 9], &seed);
        macro_rules! each {
            ($($format:ty),*) => {$(
                let mut bytes = postcard::to_stdvec(&elements.convert::<$format>().unwrap()).unwrap();
                // Behind the layout, with which the bytes begin.
                let layout = 1 + bytes.iter().position(|&byte| byte == b'|').unwrap();
                for &(at, fault) in &faults {
                    let at = layout + at % (bytes.len() - layout);
                    bytes[at] = fault;
                }
                if length % 3 == 0 {
                    bytes.truncate(length % bytes.len());
                }
                bounded::<$format>(|| {
                    if let Ok(a) = postcard::from_bytes::<$format>(&bytes) {
                        let again = postcard::to_stdvec(&a).unwrap();
                        assert_eq!(postcard::to_stdvec(&postcard::from_bytes::<$format>(&again).unwrap()).unwrap(), again);
                    }
                });
            )*};
        }
        formats!(each);
        bounded::<Triplets<f64, 2>>(|| {
            let mut bytes = postcard::to_stdvec(&elements).unwrap();
            for &(at, fault) in &faults {
                let at = at % bytes.len();
                bytes[at] = fault;
            }
            drop(postcard::from_bytes::<Triplets<f64, 2>>(&bytes));
        });
    }
}

/// Checks that a short input costs little memory: a table for each coordinate of a shape that the input claims is refused, or
/// its bytes are within the default limit.
fn bounded<F>(read: impl FnOnce()) {
    let before = HELD.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    read();
    let most = MOST.load(Ordering::Relaxed) - before;
    assert!(most < 64 << 20, "{} took {most} bytes", std::any::type_name::<F>());
}

#[test]
fn the_text_of_a_tensor_is_its_arrays() {
    let a = Csr::try_from_triplets([2, 3], [([0, 2], 1.5), ([1, 0], 2.0)]).unwrap();
    let text = json!({
        "layout": "|i, j| (row: i, col: j) merge(row) trim(col) row_ptr: u32, col_idx: u32",
        "shape": [2, 3], "row_ptr": [0, 1, 2], "col_idx": [2, 0], "values": [1.5, 2.0],
    });
    assert_eq!(serde_json::to_value(&a).unwrap(), text);
    let dok = Dok::try_from_triplets([2, 3], [([0, 2], 1.5)]).unwrap();
    assert_eq!(serde_json::to_value(&dok).unwrap()["row_entries"], json!([[0, 2, 1.5]]));
    let ell = Ell::try_from_triplets([2, 3], [([0, 2], 1.5)]).unwrap();
    assert_eq!(serde_json::to_value(&ell).unwrap()["slot_size"], json!(1));
    let triplets = Triplets::try_from_triplets([2, 3], [([0, 2], 1.5)])
        .unwrap()
        .duplicates(Duplicates::Last);
    let text = json!({
        "layout": "triplets of 2 dims", "shape": [2, 3], "coordinates": [[0, 2]], "values": [1.5], "duplicates": "last",
    });
    assert_eq!(serde_json::to_value(&triplets).unwrap(), text);
    let view = TripletsView::try_new([2, 3], [&[0u8], &[2]], &[1.5])
        .unwrap()
        .duplicates(Duplicates::Last);
    assert_eq!(serde_json::to_value(view).unwrap(), text);
    let read: Triplets<f64, 2> = serde_json::from_value(text).unwrap();
    assert_eq!(read, triplets);
}

#[track_caller]
fn refused<V: DeserializeOwned + Debug>(value: Value, expected: &str) {
    let error = serde_json::from_value::<V>(value).unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn errors_say_what_is_wrong() {
    let a = Csr::try_from_triplets([2, 3], [([0, 2], 1.5), ([1, 0], 2.0)]).unwrap();
    let text = serde_json::to_value(&a).unwrap();
    let with = |name: &str, member: Value| {
        let mut text = text.clone();
        text[name] = member;
        text
    };
    refused::<Csr<f64>>(with("col_idx", json!([3, 0])), "`col_idx`");
    refused::<Csr<f64>>(with("row_ptr", json!([0, 1])), "`row_ptr`");
    refused::<Csr<f64>>(with("more", json!(1)), "unknown field `more`");
    let error = serde_json::from_str::<Csc<f64>>(&serde_json::to_string(&a).unwrap())
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("found the layout `|i, j| (row: i, col: j) merge(row) trim(col) row_ptr"),
        "{error}"
    );
    assert!(error.contains("expected `|i, j| (col: j, row: i)"), "{error}");
    let mut missing = text.clone();
    missing.as_object_mut().unwrap().remove("values");
    refused::<Csr<f64>>(missing, "missing field `values`");
    refused::<Csr<f64>>(json!({"shape": [2, 3]}), "missing field `layout`");
    // Other parameters, and other arrays of one index map.
    let blocks = serde_json::to_value(a.convert::<Bcsr<f64, 2, 2>>().unwrap()).unwrap();
    refused::<Bcsr<f64, 2, 3>>(blocks, "C = 2");

    let twice = r#"{"layout": "triplets of 1 dims", "shape": [2], "shape": [2], "coordinates": [], "values": [], "duplicates": "sum"}"#;
    let error = serde_json::from_str::<Triplets<f64, 1>>(twice).unwrap_err().to_string();
    assert!(error.contains("duplicate field `shape`"), "{error}");
    let triplets = |coordinates: Value, duplicates: &str| {
        json!({
            "layout": "triplets of 1 dims", "shape": [2], "coordinates": coordinates, "values": [1.0], "duplicates": duplicates,
        })
    };
    refused::<Triplets<f64, 1>>(triplets(json!([[2]]), "sum"), "coordinate 2 is outside 2");
    refused::<Triplets<f64, 1>>(triplets(json!([]), "sum"), "found 1 values, expected 0");
    refused::<Triplets<f64, 1>>(triplets(json!([[0]]), "add"), "unknown variant `add`");
}

/// Writes elements of a type and reads them again.
fn elements_of<T: unisparse::Stored + Serialize + DeserializeOwned>(values: [T; 2]) {
    let a = Csr::try_from_triplets([2, 3], [([0, 2], values[0]), ([1, 0], values[1])]).unwrap();
    let (text, bytes) = (serde_json::to_string(&a).unwrap(), postcard::to_stdvec(&a).unwrap());
    assert_eq!(serde_json::from_str::<Csr<T>>(&text).unwrap().values(), values);
    assert_eq!(postcard::from_bytes::<Csr<T>>(&bytes).unwrap().values(), values);
}

#[test]
fn every_kind_of_element() {
    elements_of([f16::from_f32(0.1), f16::MAX]);
    elements_of([bf16::from_f32(0.1), bf16::MIN]);
    elements_of([i64::MIN, i64::MAX]);
    elements_of([u64::MAX, 0]);
    elements_of([true, false]);
    elements_of([Complex64::new(0.1, -2.0), Complex64::new(-0.0, 1e300)]);
    elements_of([Narrow::<f32, f64>::new(0.1), Narrow::new(-0.0)]);
    elements_of([Pattern::<f64>::new(); 2]);
    // Bytes hold what text has no numbers for.
    let a = Csr::try_from_triplets([1, 2], [([0, 0], f64::NAN), ([0, 1], f64::NEG_INFINITY)]).unwrap();
    let read: Csr<f64> = postcard::from_bytes(&postcard::to_stdvec(&a).unwrap()).unwrap();
    assert!(read.values()[0].is_nan() && read.values()[1] == f64::NEG_INFINITY);
}

#[test]
fn values_without_bytes_cannot_be_claimed() {
    let a = Csr::try_from_triplets([2, 3], [([0, 2], Pattern::<f64>::new())]).unwrap();
    let mut text = serde_json::to_value(&a).unwrap();
    assert_eq!(text["values"], json!(1));
    text["values"] = json!(1u64 << 62);
    refused::<Csr<Pattern<f64>>>(text, "`values`");
    let scalar: Triplets<f64, 0> = Triplets::try_from_triplets([], [([], 1.0), ([], 2.0)]).unwrap();
    let text = serde_json::to_value(&scalar).unwrap();
    assert_eq!(text["coordinates"], json!(2));
    assert_eq!(serde_json::from_value::<Triplets<f64, 0>>(text).unwrap(), scalar);
}

#[test]
fn a_short_text_takes_little_memory() {
    let _alone = ALONE.lock();
    // An array of 2^40 numbers, of which there is one.
    let mut bytes = postcard::to_stdvec("triplets of 1 dims").unwrap();
    bytes.extend([1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0]);
    bounded::<Triplets<f64, 1>>(|| assert!(postcard::from_bytes::<Triplets<f64, 1>>(&bytes).is_err()));
}
