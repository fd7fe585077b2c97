//! `.npz` files: ours that scipy reads, those of scipy that we read, and files with faults.
//!
//! The tests with scipy run the interpreter that `UNISPARSE_PYTHON` names, which has scipy 1.13 or later, and are ignored
//! without it: `UNISPARSE_PYTHON=python3 cargo test -p interop --test npz -- --include-ignored`.

mod binsparse;

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use proptest::prelude::{ProptestConfig, any, prop, proptest};
use unisparse::io::{self, NpzKind, ReadErrorKind};
use unisparse::prelude::*;
use unisparse::{Complex64, Narrow, Pattern, f16};

sparse_format! {
    format Vector = |i| (at: i) { trim(at); }
    format Four = |i, j, k, l| (i, j, k, l) { trim(0..=3); }
    format Rows = |i, j| (line: i, place: j) { merge(line); trim(place); index(place: u64); }
    format Tiles<const R: usize = 2, const C: usize = 3> =
        |i, j| (brow: i / R, bcol: j / C, r: i % R, c: j % C) { merge(brow, bcol); trim(brow..=bcol); }
    /// Slots with the place in the group, as 2:4 pruned layers are stored.
    format TwoOfFour = |i, j| (row: i, group: j / 4, slot, place: j % 4)
        where { slot = enumerate(_ => 0).group_by(i, j / 4).traverse_by(j); } { merge(row, group, slot); }
    format DiagonalSlots = |i, j| (diag: j - i, slot, row: i)
        where { slot = enumerate(_ => 0).group_by(j - i).traverse_by(i); } { merge(diag, slot); trim(diag); }
}

/// Writes a tensor and reads it again.
fn again<F: SparseTensor<N, Scalar = f64>, const N: usize>(a: &F, kind: NpzKind) -> Triplets<f64, N> {
    let mut bytes = Vec::new();
    io::write_npz_to(&mut bytes, a, kind).unwrap();
    io::parse_npz(bytes.as_slice()).unwrap()
}

fn elements<const N: usize>(a: &impl Source<N, Scalar = f64>) -> Vec<([usize; N], f64)> {
    let mut all = Vec::new();
    a.for_each(|at, value| all.push((at, value)));
    all.sort_by_key(|&(at, _)| at);
    all
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn every_kind_is_read_as_written(rows in 0..5usize, cols in 0..5usize, seed in prop::collection::btree_map(any::<(usize, usize)>(), 1..100i32, 0..30)) {
        // Blocks of 2 x 3 divide the extents.
        let shape = [2 * rows, 3 * cols];
        let inside = seed.iter().filter(|_| rows * cols > 0).map(|(&(i, j), &value)| ([i % shape[0], j % shape[1]], f64::from(value)));
        let a: Csr<f64> = Triplets::try_from_triplets(shape, inside).unwrap().convert().unwrap();
        for kind in [NpzKind::Csr, NpzKind::Csc, NpzKind::Coo, NpzKind::Bsr([2, 3]), NpzKind::Dia] {
            let read = again(&a, kind);
            assert_eq!((read.shape(), elements(&read)), (shape, elements(&a)), "{kind:?}");
        }
        // Other orders of elements.
        let columns: Csc<f64> = a.convert().unwrap();
        assert_eq!(elements(&again(&columns, NpzKind::Csr)), elements(&a));
        let diagonals: Dia<f64> = a.convert().unwrap();
        assert_eq!(elements(&again(&diagonals, NpzKind::Bsr([1, 3]))), elements(&a));
    }

    #[test]
    fn files_with_faults_are_refused_or_read(seed in prop::collection::vec(any::<(usize, u8)>(), 1..6), kind in 0..5usize) {
        let a = Csr::try_from_triplets([4, 6], [([0, 1], 1.0), ([0, 5], 2.0), ([3, 2], 3.0)]).unwrap();
        let kinds = [NpzKind::Csr, NpzKind::Csc, NpzKind::Coo, NpzKind::Bsr([2, 3]), NpzKind::Dia];
        let mut bytes = Vec::new();
        io::write_npz_to(&mut bytes, &a, kinds[kind]).unwrap();
        for (at, fault) in seed {
            let at = at % bytes.len();
            bytes[at] = fault;
        }
        // A checksum finds most faults; what is read is inside its shape, or `Triplets` would not hold it.
        drop(io::parse_npz::<f64, 2, _>(bytes.as_slice()));
    }
}

#[test]
fn the_kind_follows_from_the_index_map() {
    let shape = [4, 6];
    assert_eq!(NpzKind::nearest::<Csr<f64>>(&shape), NpzKind::Csr);
    assert_eq!(NpzKind::nearest::<Rows<f64>>(&shape), NpzKind::Csr);
    assert_eq!(NpzKind::nearest::<Lil<f64>>(&shape), NpzKind::Csr);
    assert_eq!(NpzKind::nearest::<Csc<f64>>(&shape), NpzKind::Csc);
    assert_eq!(NpzKind::nearest::<Dcsr<f64>>(&shape), NpzKind::Coo);
    assert_eq!(NpzKind::nearest::<Dia<f64>>(&shape), NpzKind::Dia);
    assert_eq!(NpzKind::nearest::<DiaVariant<f64>>(&shape), NpzKind::Dia);
    assert_eq!(NpzKind::nearest::<Bcsr<f64, 2, 3>>(&shape), NpzKind::Bsr([2, 3]));
    assert_eq!(NpzKind::nearest::<Tiles<f64>>(&shape), NpzKind::Bsr([2, 3]));
    assert_eq!(NpzKind::nearest::<Bcsr<f64, 2, 3>>(&[4, 7]), NpzKind::Coo);
    assert_eq!(NpzKind::nearest::<Ell<f64>>(&shape), NpzKind::Coo);
    assert_eq!(NpzKind::nearest::<TwoOfFour<f64>>(&[4, 8]), NpzKind::Coo);
    assert_eq!(NpzKind::nearest::<DiagonalSlots<f64>>(&shape), NpzKind::Coo);
    assert_eq!(NpzKind::nearest::<Csf<f64>>(&[2, 2, 2]), NpzKind::Coo);
}

/// Writes values of one type, and reads them as another.
fn read_as<
    T: unisparse::Stored + io::InFile<Number: io::NpzScalar>,
    U: unisparse::Stored + io::InFile<Number: io::NpzScalar>,
>(
    value: T,
) -> Result<U, ReadErrorKind> {
    let a = Coo::try_from_triplets([1, 1], [([0, 0], value)]).unwrap();
    let mut bytes = Vec::new();
    io::write_npz_to(&mut bytes, &a, NpzKind::Csr).unwrap();
    io::parse_npz::<U, 2, _>(bytes.as_slice())
        .map(|read| read.values()[0])
        .map_err(|error| error.kind())
}

#[test]
fn a_number_that_does_not_fit_is_refused() {
    const RANGE: ReadErrorKind = ReadErrorKind::Range;
    assert_eq!(read_as::<i8, i64>(-128), Ok(-128));
    assert_eq!(read_as::<u64, u64>(u64::MAX), Ok(u64::MAX));
    assert_eq!(read_as::<u64, i64>(u64::MAX), Err(RANGE));
    assert_eq!(read_as::<f64, i32>(7.0), Ok(7));
    assert_eq!(read_as::<f64, i32>(7.5), Err(RANGE));
    assert_eq!(read_as::<f64, u8>(-1.0), Err(RANGE));
    assert_eq!(read_as::<f64, u64>(18_446_744_073_709_551_616.0), Err(RANGE));
    assert_eq!(read_as::<f64, i64>(f64::NAN), Err(RANGE));
    assert_eq!(read_as::<f64, f32>(1e300), Err(RANGE));
    assert_eq!(read_as::<f64, f32>(f64::INFINITY), Ok(f32::INFINITY));
    assert_eq!(read_as::<f64, f32>(0.1), Ok(0.1));
    assert_eq!(
        read_as::<f16, f64>(f16::from_f64(-0.1)),
        Ok(f16::from_f64(-0.1).to_f64())
    );
    assert_eq!(read_as::<f16, f64>(f16::from_bits(3)), Ok(f16::from_bits(3).to_f64()));
    assert_eq!(read_as::<f64, f16>(0.1), Ok(f16::from_f64(0.1)));
    assert_eq!(read_as::<bool, u8>(true), Ok(1));
    assert_eq!(read_as::<i32, bool>(2), Err(RANGE));
    assert_eq!(read_as::<Complex64, f64>(Complex64::new(2.0, 0.0)), Ok(2.0));
    assert_eq!(read_as::<Complex64, f64>(Complex64::new(2.0, 1.0)), Err(RANGE));
    assert_eq!(read_as::<f32, Complex64>(2.5), Ok(Complex64::new(2.5, 0.0)));
    assert_eq!(read_as::<Narrow<f32, f64>, f32>(Narrow::new(0.1)), Ok(0.1));
    assert_eq!(read_as::<Pattern<f64>, f64>(Pattern::new()), Ok(1.0));
    assert_eq!(read_as::<f64, Pattern<f64>>(1.0), Ok(Pattern::new()));
    assert_eq!(read_as::<f64, Pattern<f64>>(2.0), Err(RANGE));
}

#[test]
fn what_has_no_such_kind_is_refused() {
    let (vector, matrix) = (
        Vector::try_from_triplets([3], [([2], 1.0)]).unwrap(),
        Csr::try_from_triplets([3, 4], [([2, 0], 1.0)]).unwrap(),
    );
    let mut bytes = Vec::new();
    let message = |result: std::io::Result<()>| result.unwrap_err().to_string();
    assert_eq!(
        message(io::write_npz_to(&mut bytes, &vector, NpzKind::Csc)),
        "there is no `csc` of 1 dims"
    );
    assert_eq!(
        message(io::write_npz_to(&mut bytes, &matrix, NpzKind::Bsr([2, 2]))),
        "blocks of 2 x 2 do not divide 3 x 4"
    );
    assert_eq!(
        message(io::write_npz_to(&mut bytes, &matrix, NpzKind::Bsr([0, 2]))),
        "blocks of 0 x 2 do not divide 3 x 4"
    );
    bytes.clear();
    io::write_npz_to(&mut bytes, &matrix, NpzKind::Csr).unwrap();
    let error = io::parse_npz::<f64, 3, _>(bytes.as_slice()).unwrap_err();
    assert_eq!(error.to_string(), "found a tensor of 2 dims, expected 3");
    let error = io::parse_npz::<f64, 2, _>(&bytes[..bytes.len() / 2]).unwrap_err();
    assert_eq!(error.kind(), ReadErrorKind::Io);
    // Where rows and diagonals would take all memory.
    sparse_format! { format Far = |i, j| (i, j) { trim(0..=1); index(i: u64, j: u64); } }
    let far = (0..100).map(|at| ([at << 50, (at * at) << 40], 1.0));
    let far = Far::try_from_triplets([1 << 60, 1 << 60], far).unwrap();
    for kind in [
        NpzKind::Csr,
        NpzKind::Csc,
        NpzKind::Dia,
        NpzKind::Bsr([2, 2]),
        NpzKind::Bsr([1 << 30, 1 << 30]),
    ] {
        let refused = message(io::write_npz_to(&mut bytes, &far, kind));
        assert!(refused.contains("entries, of at most"), "{kind:?}: {refused}");
    }
}

/// Runs a text of Python in an empty folder, and returns the folder.
fn python(name: &str, text: &str) -> PathBuf {
    let python = env::var_os("UNISPARSE_PYTHON").expect("`UNISPARSE_PYTHON` names an interpreter with scipy");
    let folder = env::temp_dir().join(format!("unisparse-npz-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    run(&python, &folder, text);
    folder
}

fn run(python: &std::ffi::OsStr, folder: &std::path::Path, text: &str) {
    let output = Command::new(python)
        .arg("-c")
        .arg(text)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Writes matrices of all kinds, types of indices and elements, with indices in no order and repeated ones, and what they hold:
/// a line for each element of the sum of its duplicates, `row col value`.
const WRITE: &str = r#"
import itertools, numpy as np, scipy.sparse as sp
rng = np.random.default_rng(7)
names = open('names.txt', 'w')
def save(name, a, **options):
    sp.save_npz(name + '.npz', a, **options)
    names.write(name + '\n')
    dense = a.toarray()
    with open(name + '.txt', 'w') as out:
        for at in np.argwhere(dense != 0):
            out.write(' '.join(map(str, at)) + ' ' + repr(float(np.real(dense[tuple(at)]))) + '\n')
rows, cols, count = 6, 9, 25
i, j = rng.integers(0, rows, count), rng.integers(0, cols, count)
v = rng.integers(1, 50, count)
for kind, index, dtype, new in itertools.product(
        ['csr', 'csc', 'coo', 'bsr', 'dia'], ['int32', 'int64'], ['float64', 'float32', 'int8', 'uint16', 'complex128', 'int64'], ['array', 'matrix']):
    cls = getattr(sp, f'{kind}_{new}')
    coo = sp.coo_array((v.astype(dtype), (i.astype(index), j.astype(index))), shape=(rows, cols))
    a = cls(coo.tobsr(blocksize=(2, 3))) if kind == 'bsr' else cls(coo.asformat(kind))
    for name in ['indices', 'indptr', 'offsets']:
        if hasattr(a, name):
            setattr(a, name, getattr(a, name).astype(index))
    save(f'{kind}-{index}-{dtype}-{new}', a, compressed=new == 'array')
# Indices in no order, and duplicates.
indptr = np.array([0, 4, 4, 9, 9, 12, 15])
indices = np.array([8, 1, 8, 0,  3, 3, 3, 7, 2,  5, 4, 5,  1, 0, 1])
data = np.arange(1.0, 16.0)
for index in ['int32', 'int64']:
    a = sp.csr_array((data, indices.astype(index), indptr.astype(index)), shape=(6, 9))
    save(f'unsorted-csr-{index}', a)
    save(f'unsorted-csc-{index}', sp.csc_array((data, indices.astype(index), indptr.astype(index)), shape=(9, 6)))
    blocks = np.arange(1.0, 1.0 + 15 * 6).reshape(15, 2, 3)
    save(f'unsorted-bsr-{index}', sp.bsr_array((blocks, indices.astype(index), indptr.astype(index)), shape=(12, 27)))
save('fortran-dia', sp.dia_array((np.asfortranarray(np.arange(1.0, 13.0).reshape(3, 4)), [-2, 0, 3]), shape=(5, 6)))
save('wide-dia', sp.dia_array((np.arange(1.0, 25.0).reshape(3, 8), [-1, 0, 2]), shape=(5, 6)))
save('empty', sp.csr_array((0, 0)))
save('no-elements', sp.bsr_array((4, 6), blocksize=(2, 3)))
wide = sp.coo_array(([1.0], ([3], [2**40])), shape=(6, 2**41))
sp.save_npz('large.npz', wide)
sp.save_npz('vector.npz', sp.csr_array(np.array([0.0, 3.0, 0.0, 4.0])))
sp.save_npz('vector-coo.npz', sp.coo_array(np.array([0.0, 3.0, 0.0, 4.0])))
four = np.zeros((2, 3, 4, 5)); four[0, 2, 3, 1] = 5; four[1, 0, 0, 4] = 6
sp.save_npz('four.npz', sp.coo_array(four))
sp.save_npz('half.npz', sp.coo_array(([1.0], ([0], [0])), shape=(1, 1)))
# Old files have the format as text, not as bytes.
old = sp.csr_array(np.array([[0.0, 2.0]]))
np.savez('old.npz', format='csr', shape=old.shape, data=old.data, indices=old.indices, indptr=old.indptr)
np.savez('big.npz', format='csr', shape=old.shape, data=old.data.astype('>f4'), indices=old.indices.astype('>i8'), indptr=old.indptr.astype('>i2'))
"#;

#[test]
#[ignore = "needs an interpreter with scipy, which `UNISPARSE_PYTHON` names"]
fn files_of_scipy_are_read() {
    let folder = python("read", WRITE);
    let names = fs::read_to_string(folder.join("names.txt")).unwrap();
    let mut count = 0;
    for name in names.lines() {
        let read: Triplets<f64, 2> = io::read_npz(folder.join(format!("{name}.npz"))).unwrap();
        let a: Csr<f64> = read.convert().unwrap();
        let text = fs::read_to_string(folder.join(format!("{name}.txt"))).unwrap();
        let line = |line: &str| {
            let words: Vec<f64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
            ([words[0] as usize, words[1] as usize], words[2])
        };
        let expected: Vec<_> = text.lines().map(line).collect();
        assert_eq!(elements(&a), expected, "{name}");
        count += 1;
    }
    assert_eq!(count, 5 * 2 * 6 * 2 + 6 + 4);
    let vector: Triplets<f64, 1> = io::read_npz(folder.join("vector.npz")).unwrap();
    assert_eq!((vector.shape(), elements(&vector)), ([4], vec![([1], 3.0), ([3], 4.0)]));
    let vector: Triplets<f64, 1> = io::read_npz(folder.join("vector-coo.npz")).unwrap();
    assert_eq!(elements(&vector), vec![([1], 3.0), ([3], 4.0)]);
    let four: Triplets<f64, 4> = io::read_npz(folder.join("four.npz")).unwrap();
    assert_eq!(
        (four.shape(), elements(&four)),
        ([2, 3, 4, 5], vec![([0, 2, 3, 1], 5.0), ([1, 0, 0, 4], 6.0)])
    );
    let large: Triplets<f64, 2> = io::read_npz(folder.join("large.npz")).unwrap();
    assert_eq!(
        (large.shape(), elements(&large)),
        ([6, 1 << 41], vec![([3, 1 << 40], 1.0)])
    );
    for name in ["old.npz", "big.npz"] {
        let read: Triplets<f64, 2> = io::read_npz(folder.join(name)).unwrap();
        assert_eq!(elements(&read), vec![([0, 1], 2.0)]);
    }
    // Duplicates by policy.
    let unsorted: Triplets<f64, 2> = io::read_npz(folder.join("unsorted-csr-int32.npz")).unwrap();
    let policy = |policy| unsorted.clone().duplicates(policy).convert::<Csr<f64>>();
    assert_eq!(policy(Duplicates::First).unwrap().get([2, 3]), Some(5.0));
    assert_eq!(policy(Duplicates::Last).unwrap().get([2, 3]), Some(7.0));
    assert_eq!(policy(Duplicates::Sum).unwrap().get([2, 3]), Some(18.0));
    assert_eq!(
        policy(Duplicates::Reject).unwrap_err().kind(),
        unisparse::ErrorKind::Duplicate
    );
    fs::remove_dir_all(folder).unwrap();
}

/// Reads the files in a folder, and checks their class, types and elements.
const CHECK: &str = r#"
import numpy as np, scipy.sparse as sp
def load(name, cls, dtype, index='int32'):
    a = sp.load_npz(name + '.npz')
    assert type(a) is cls, (name, type(a))
    assert a.dtype == dtype, (name, a.dtype)
    for array in ['indices', 'indptr', 'offsets', 'row', 'col']:
        if hasattr(a, array):
            assert getattr(a, array).dtype == index, (name, array, getattr(a, array).dtype)
    if hasattr(a, 'check_format'):
        a.check_format(full_check=True)
        assert a.has_canonical_format, name
    return a
expected = np.zeros((4, 6)); expected[0, 1] = 1.5; expected[0, 5] = 2; expected[3, 2] = 3; expected[2, 2] = 4
for name, cls in [('csr', sp.csr_array), ('csc', sp.csc_array), ('coo', sp.coo_array), ('bsr', sp.bsr_array), ('dia', sp.dia_array), ('ell', sp.coo_array)]:
    assert (load(name, cls, 'float64').toarray() == expected).all(), name
assert load('bsr', sp.bsr_array, 'float64').blocksize == (2, 3)
assert (load('f32', sp.csr_array, 'float32').toarray() == expected.astype('float32')).all()
assert (load('complex', sp.csr_array, 'complex128').toarray() == expected * (1 + 2j)).all()
assert (load('pattern', sp.csr_array, 'float64').toarray() == (expected != 0)).all()
assert (load('int', sp.dia_array, 'int8').toarray() == expected.astype('int8')).all()
wide = load('wide', sp.coo_array, 'float64', 'int64')
assert wide.shape == (6, 2**41) and wide.row.tolist() == [3] and wide.col.tolist() == [2**40]
four = sp.load_npz('four.npz')
assert four.shape == (2, 3, 4, 5) and four.todense()[0, 2, 3, 1] == 5 and four.todense()[1, 0, 0, 4] == 6 and four.nnz == 2
vector = sp.load_npz('vector.npz')
assert vector.shape == (4,) and vector.todense().tolist() == [0, 3, 0, 4]
empty = load('empty', sp.csr_array, 'float64')
assert empty.shape == (0, 0)
"#;

#[test]
#[ignore = "needs an interpreter with scipy, which `UNISPARSE_PYTHON` names"]
fn files_of_ours_are_read_by_scipy() {
    let folder = python("write", "");
    let path = |name: &str| folder.join(format!("{name}.npz"));
    let a = [([0, 1], 1.5), ([0, 5], 2.0), ([3, 2], 3.0), ([2, 2], 4.0)];
    let a: Triplets<f64, 2> = Triplets::try_from_triplets([4, 6], a).unwrap();
    io::write_npz(path("csr"), &a.convert::<Csr<f64>>().unwrap()).unwrap();
    io::write_npz(path("csc"), &a.convert::<Csc<f64>>().unwrap()).unwrap();
    io::write_npz(path("coo"), &a.convert::<Coo<f64>>().unwrap()).unwrap();
    io::write_npz(path("bsr"), &a.convert::<Bcsr<f64, 2, 3>>().unwrap()).unwrap();
    io::write_npz(path("dia"), &a.convert::<Dia<f64>>().unwrap()).unwrap();
    io::write_npz(path("ell"), &a.convert::<Ell<f64>>().unwrap()).unwrap();
    io::write_npz(
        path("f32"),
        &a.clone().map(|value| value as f32).convert::<Csr<f32>>().unwrap(),
    )
    .unwrap();
    let complex = a.clone().map(|value| Complex64::new(value, 2.0 * value));
    io::write_npz(path("complex"), &complex.convert::<Csr<Complex64>>().unwrap()).unwrap();
    let pattern = a.clone().map(|_| Pattern::<f64>::new());
    io::write_npz(path("pattern"), &pattern.convert::<Csr<Pattern<f64>>>().unwrap()).unwrap();
    io::write_npz(
        path("int"),
        &a.clone().map(|value| value as i8).convert::<DiaVariant<i8>>().unwrap(),
    )
    .unwrap();
    let wide: Triplets<f64, 2> = Triplets::try_from_triplets([6, 1 << 41], [([3, 1 << 40], 1.0)]).unwrap();
    sparse_format! { format Far = |i, j| (i, j) { trim(0..=1); index(j: u64); } }
    io::write_npz(path("wide"), &wide.convert::<Far<f64>>().unwrap()).unwrap();
    let four = Four::try_from_triplets([2, 3, 4, 5], [([0, 2, 3, 1], 5.0), ([1, 0, 0, 4], 6.0)]).unwrap();
    io::write_npz(path("four"), &four).unwrap();
    io::write_npz(
        path("vector"),
        &Vector::try_from_triplets([4], [([1], 3.0), ([3], 4.0)]).unwrap(),
    )
    .unwrap();
    io::write_npz(path("empty"), &Csr::<f64>::try_from_triplets([0, 0], []).unwrap()).unwrap();
    run(&env::var_os("UNISPARSE_PYTHON").unwrap(), &folder, CHECK);
    fs::remove_dir_all(folder).unwrap();
}
