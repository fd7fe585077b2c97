//! Matrix Market files in parts, against the reader of one process.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use unisparse::formats::{Coo, Csr};
use unisparse::io::{self, ReadErrorKind};
use unisparse::{Complex64, Triplets};
use unisparse_mpi::{Distributed, Error, ErrorKind, World};

use crate::data::shared;
use crate::launch::on_ranks;

type Rows = Distributed<Csr<f64>>;

/// Writes a file on rank 0, which all ranks then see.
fn written(world: &World, name: &str, text: &str) -> PathBuf {
    // The ranks of one run have the same parent.
    let path = std::env::temp_dir().join(format!(
        "unisparse-mpi-{}-{name}.mtx",
        std::os::unix::process::parent_id()
    ));
    if world.rank() == 0 {
        fs::write(&path, text).expect("the file is written");
    }
    world.wait();
    path
}

fn removed(world: &World, path: &PathBuf) {
    world.wait();
    if world.rank() == 0 {
        fs::remove_file(path).expect("the file is removed");
    }
}

fn sums(triplets: &Triplets<f64, 2>) -> BTreeMap<[usize; 2], f64> {
    let mut sums = BTreeMap::new();
    triplets
        .iter()
        .for_each(|(at, value)| *sums.entry(at).or_insert(0.0) += value);
    sums
}

/// Checks that a text is read as one process reads it: to the same elements, or to the same error.
fn check(world: &World, name: &str, text: &str) -> Result<(), Error> {
    let path = written(world, name, text);
    let expected = io::read_matrix_market::<f64>(&path);
    let found = Rows::read_matrix_market(world, &path);
    removed(world, &path);
    let expected = match expected {
        Ok(expected) => expected,
        Err(expected) => {
            let error = found.expect_err(&expected.to_string());
            assert_eq!(error.kind(), ErrorKind::File(expected.kind()), "{name}: {error}");
            // The number of entries is known in the end only, so that there is no line.
            if !matches!(expected.kind(), ReadErrorKind::TooFew | ReadErrorKind::TooMany) {
                assert_eq!(error.message(), expected.to_string(), "{name}");
            }
            return Err(error);
        }
    };
    let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
    if let Some(found) = found.gather(0)? {
        assert_eq!(sums(&found), sums(&expected), "{name}");
    }
    Ok(())
}

const BANNER: &str = "%%MatrixMarket matrix coordinate real general\n";

#[test]
fn texts_of_all_kinds() {
    on_ranks("files::texts_of_all_kinds", 1..=4, |world| {
        let entries = |count: usize| {
            (1..=count)
                .map(|k| format!("{k} {} {k}.5\n", k * 7 % 30 + 1))
                .collect::<String>()
        };
        let good = [
            ("plain", format!("{BANNER}30 30 30\n{}", entries(30))),
            ("no-line-end", format!("{BANNER}30 30 30\n{}", entries(30).trim_end())),
            (
                "comments",
                format!(
                    "{BANNER}% one\n\n %two\n30 30 30\n{}% three\n\n  \n",
                    entries(30).replace("\n7 ", "\n%\n\n 7 ")
                ),
            ),
            (
                "crlf",
                format!("{BANNER}30 30 30\n{}", entries(30)).replace('\n', "\r\n"),
            ),
            ("one", format!("{BANNER}3 4 1\n2 3 1e3\n")),
            ("none", format!("{BANNER}3 4 0\n")),
            ("empty", format!("{BANNER}0 0 0\n")),
            (
                "symmetric",
                "%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n1 1 2\n2 1 3\n4 1 5\n4 3 6\n".to_owned(),
            ),
            (
                "skew",
                "%%MatrixMarket matrix coordinate integer skew-symmetric\n4 4 3\n2 1 3\n4 1 5\n4 3 6\n".to_owned(),
            ),
            (
                "pattern",
                "%%MatrixMarket matrix coordinate pattern general\n4 5 3\n2 1\n4 5\n1 3\n".to_owned(),
            ),
            (
                "array",
                "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n".to_owned(),
            ),
            (
                "vector",
                "%%MatrixMarket vector coordinate real general\n9 2\n2 5\n4 6\n".to_owned(),
            ),
            (
                "one-long-line",
                format!("{BANNER}30 30 2\n{}1 1 1\n2 2 2\n", " ".repeat(5000)),
            ),
        ];
        for (name, text) in &good {
            check(world, name, text).unwrap();
        }
        let lines = entries(30);
        let bad = [
            ("no-banner", "1 1 1\n".to_owned()),
            ("nothing", String::new()),
            ("bad-size", format!("{BANNER}30 x 30\n{lines}")),
            ("bad-count", format!("{BANNER}30 30 -1\n{lines}")),
            (
                "missing-value",
                format!("{BANNER}30 30 30\n{}", lines.replace("\n23 12 23.5", "\n23 12")),
            ),
            (
                "outside",
                format!("{BANNER}30 30 30\n{}", lines.replace("\n29 ", "\n31 ")),
            ),
            (
                "two-errors",
                format!(
                    "{BANNER}30 30 30\n{}",
                    lines.replace("\n29 ", "\n31 ").replace("\n3 ", "\nx ")
                ),
            ),
            (
                "not-a-number",
                format!("{BANNER}30 30 30\n{}", lines.replace(" 2.5", " two")),
            ),
            (
                "trailing",
                format!("{BANNER}30 30 30\n{}", lines.replace(" 30.5", " 30.5 1")),
            ),
            (
                "cut-off",
                format!("{BANNER}30 30 30\n{}", &lines[..lines.len() * 2 / 3]),
            ),
            ("too-few", format!("{BANNER}30 30 31\n{lines}")),
            ("too-many", format!("{BANNER}30 30 29\n{lines}")),
        ];
        for (name, text) in &bad {
            let error = check(world, name, text).expect_err(name);
            // The same on all ranks.
            let length = error.message().len() as u64;
            assert_eq!(world.sum(length), length * world.size() as u64);
        }
        let missing = Rows::read_matrix_market(world, "/nowhere/a.mtx").unwrap_err();
        assert_eq!(
            (missing.rank(), missing.kind()),
            (0, ErrorKind::File(ReadErrorKind::Io))
        );
    });
}

#[test]
fn every_cut_of_a_file_is_an_error_or_right() {
    on_ranks("files::every_cut_of_a_file_is_an_error_or_right", [3], |world| {
        let lines: String = (1..=9).map(|k| format!("{k} {k} {k}.25\n")).collect();
        let text = format!("{BANNER}9 9 9\n{lines}");
        let refused = (0..text.len())
            .filter(|end| check(world, "cut", &text[..*end]).is_err())
            .count();
        // What is cut: the last line end, and the digits of the last value.
        assert!(
            (text.len() - 4..text.len()).contains(&refused),
            "{refused} of {}",
            text.len()
        );
    });
}

#[test]
fn real_files_packed_and_plain() {
    on_ranks("files::real_files_packed_and_plain", 1..=4, |world| {
        for name in ["rect/lp_e226", "structured/saylr3", "circuit/rajat19", "graph/citeseer"] {
            let Some(packed) = shared(&format!("data/{name}.mtx.gz")) else {
                continue;
            };
            let expected = io::read_matrix_market::<f64>(&packed).unwrap();
            let plain = written(world, "plain", "");
            if world.rank() == 0 {
                io::write_matrix_market(&plain, &expected).unwrap();
            }
            world.wait();
            for path in [&packed, &plain] {
                let a = Rows::read_matrix_market(world, path).unwrap();
                if let Some(found) = a.gather(0).unwrap() {
                    assert_eq!(sums(&found), sums(&expected), "{}", path.display());
                }
                let again = plain.with_extension("again.mtx");
                a.write_matrix_market(&again).unwrap();
                let found = io::read_matrix_market::<f64>(&again).unwrap();
                assert_eq!(sums(&found), sums(&expected), "{}, written", path.display());
                removed(world, &again);
            }
            removed(world, &plain);
        }
    });
}

#[test]
fn files_that_cannot_be_written() {
    on_ranks("files::files_that_cannot_be_written", 1..=4, |world| {
        let a = Distributed::<Coo<Complex64>>::new(world, &Triplets::new([3, 4])).unwrap();
        for path in ["/nowhere/a.mtx", "a.mtx.gz"] {
            assert_eq!(a.write_matrix_market(path).unwrap_err().kind(), ErrorKind::Io);
        }
        let path = written(world, "empty-written", "before");
        let beside = written(world, "empty-written.mtx.draft", "a file of the user's");
        a.write_matrix_market(&path).unwrap();
        assert_eq!(fs::read_to_string(&beside).unwrap(), "a file of the user's");
        removed(world, &beside);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, "%%MatrixMarket matrix coordinate complex general\n3 4 0\n");
        removed(world, &path);
    });
}

#[test]
fn files_that_differ_among_ranks() {
    on_ranks("files::files_that_differ_among_ranks", 2..=4, |world| {
        let text =
            |entries: usize| format!("%%MatrixMarket matrix coordinate real general\n3 3 {entries}\n1 1 1\n2 2 1\n");
        let first = written(world, "differs-first", &text(2));
        let last = written(world, "differs-last", &text(3));
        let path = if world.rank() + 1 == world.size() {
            &last
        } else {
            &first
        };
        let error = Rows::read_matrix_market(world, path).unwrap_err();
        assert_eq!(
            (error.rank(), error.kind()),
            (world.size() - 1, ErrorKind::Partition),
            "{error}"
        );
        removed(world, &first);
        removed(world, &last);
    });
}
