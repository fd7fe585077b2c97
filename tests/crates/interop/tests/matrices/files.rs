//! Files that are read and written by their names.

use unisparse::io::{self, ReadErrorKind};
use unisparse::prelude::*;

#[test]
fn files_are_read_and_written_by_name() {
    let folder = std::env::temp_dir().join(format!("unisparse-by-name-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let repeated = || Triplets::try_from_triplets([2, 3], [([1, 2], 1.0), ([0, 1], 4.0), ([1, 2], 2.0)]).unwrap();
    let expected: Csr<f64> = repeated().convert().unwrap();
    for name in ["a.mtx", "A.MTX.gz", "a.tns", "a.tns.gz", "a.npz"] {
        let path = folder.join(name);
        for _ in 0..2 {
            io::write(&path, &repeated()).unwrap();
            let read: Triplets<f64, 2> = io::read(&path).unwrap();
            assert_eq!(read.convert::<Csr<f64>>().unwrap(), expected, "{name}");
        }
    }
    for name in ["a.smtx", "a.smtx.gz"] {
        io::write(folder.join(name), &repeated()).unwrap();
        let read: Triplets<f64, 2> = io::read(folder.join(name)).unwrap();
        assert_eq!(
            read.convert::<Csr<f64>>().unwrap().col_idx(),
            expected.col_idx(),
            "{name}"
        );
    }
    let cube = Triplets::try_from_triplets([2, 3, 4], [([1, 2, 3], 0.5)]).unwrap();
    io::write(folder.join("cube.tns.gz"), &cube).unwrap();
    assert_eq!(io::read::<f64, 3>(folder.join("cube.tns.gz")).unwrap(), cube);
    let kind = |name: &str| io::read::<f64, 3>(folder.join(name)).unwrap_err().kind();
    assert_eq!(
        [kind("a.mtx"), kind("a.smtx"), kind("a.txt")],
        [ReadErrorKind::Arity, ReadErrorKind::Arity, ReadErrorKind::Unsupported]
    );
    assert_eq!(
        io::read::<usize, 2>(folder.join("a.npz")).unwrap_err().kind(),
        ReadErrorKind::Unsupported
    );

    // What is refused leaves the file as it was.
    let contents = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let before = ["a.mtx", "a.smtx", "a.tns", "a.npz"].map(contents);
    assert!(io::write(folder.join("a.mtx"), &cube).is_err());
    assert!(io::write(folder.join("a.smtx"), &repeated().duplicates(Duplicates::Reject)).is_err());
    assert!(io::write(folder.join("a.tns"), &Triplets::<f64, 2>::new([0, 3])).is_err());
    assert!(io::write(folder.join("a.npz"), &Triplets::<usize, 2>::new([2, 3])).is_err());
    assert_eq!(["a.mtx", "a.smtx", "a.tns", "a.npz"].map(contents), before);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 8, "no draft is left");
    std::fs::remove_dir_all(&folder).unwrap();
}
