//! Designs and calls that are refused: declarations, parameters, packings of other designs, limits, lengths.

use unisparse::hls::{Design, Packed, Parameters, Violation};
use unisparse::prelude::*;
use unisparse::{ErrorKind, Limit, WordParts};

use super::mutations::{Usual, changed, usual};
use super::{ByRow, RowStreams, SerpensStreams, SingleRows, padded};
use crate::{matrix, numbers};

#[test]
fn packings_of_another_design() {
    fn refused<F, G>(other: &str, part: &'static str)
    where
        F: WordParts<2> + SparseTensor<2, Scalar = f32>,
        G: WordParts<2> + SparseTensor<2, Scalar = f32>,
    {
        let triplets = matrix([45, 50], 30, 54);
        let packed = Design::<G>::new(Parameters::default())
            .unwrap()
            .pack(&padded(&triplets))
            .unwrap();
        let design = Design::<F>::new(Parameters::default()).unwrap();
        let violation = design.check(&packed, &triplets).unwrap_err();
        assert!(
            matches!(violation, Violation::Design { part: found, .. } if found == part),
            "{other}: {violation}"
        );
        let (x, y) = (numbers(50, 1), numbers(45, 2));
        let errors = [
            design.simulate(&packed, &x, &y, [1.0; 2]).unwrap_err(),
            design.project(&packed, &x, &y, [1.0; 2]).unwrap_err(),
        ];
        for error in errors {
            let subject = format!("{part} of a packing");
            assert_eq!(
                (error.kind(), error.subject()),
                (ErrorKind::Structure, &*subject),
                "{other}"
            );
        }
    }
    sparse_format! {
        /// As `RowStreams`, in words of 128 bits.
        pub format Wide = |i, j| (bank: i % 3, local: i / 3, col: j) {
                merge(bank, local); trim(col); partition(bank);
                word(128) { local: 16 @ 48, col: 16 @ 32, value: 32 @ 0 };
            }
        /// As `SingleRows`, of one lane.
        pub format Single = |i, j| (channel: i % 4, window: j / 16, slot, row: i / 4, col: j % 16) where {
                slot = slot(5).group_by(j / 16, i % 4).key(i / 4).traverse_by(i, j);
            } {
                merge(channel, window, slot); pad(slot); partition(channel);
                word(64) { row: 16 @ 48, col: 13 @ 32, value: 32 @ 0 } filler 0xFFFF_0000_0000_0000;
            }
    }
    refused::<Usual, SerpensStreams<f32, 2, 16, 10>>("more channels", "channels");
    refused::<SerpensStreams<f32, 2, 16, 10>, Usual>("fewer channels", "channels");
    refused::<SingleRows<f32, 4, 16>, Single<f32>>("one lane", "lanes");
    refused::<RowStreams<f32, 3>, Wide<f32>>("wider words", "bytes in a word");

    // The words fit, what is on the chip does not.
    let (design, _, packed) = usual();
    let refused = |design: &Design<Usual>, packed: &Packed| {
        let error = design
            .simulate(packed, &numbers(70, 1), &numbers(300, 2), [1.0; 2])
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Structure);
        error.subject().to_owned()
    };
    let by_row = Design::<ByRow<f32, 1, 16, 10>>::new(Parameters::default()).unwrap();
    let of_rows = by_row.pack(&padded(&matrix([300, 70], 20, 51))).unwrap();
    assert_eq!(refused(&design, &of_rows), "sums of a packing");
    let wider = Design::<SerpensStreams<f32, 1, 32, 10>>::new(Parameters::default()).unwrap();
    let wider = wider.pack(&padded(&matrix([300, 70], 20, 51))).unwrap();
    assert_eq!(refused(&design, &wider), "columns in a window of a packing");
    let small = Parameters {
        addresses: 2,
        ..Parameters::default()
    };
    let small = Design::<Usual>::new(small).unwrap();
    assert_eq!(refused(&small, &packed), "memory words in a lane of a packing");
}

#[test]
fn declarations_that_are_no_design() {
    sparse_format! {
        /// Rows without a field.
        pub format NoRow = |i, j| (bank: i % 2, local: i / 2, col: j) {
            merge(bank, local); trim(col); partition(bank); word(64) { col: 16 @ 32, value: 32 @ 0 };
        }
        /// As many channels as rows.
        pub format ChannelOfRow = |i, j| (row: i, col: j) {
            merge(row); trim(col); partition(row); word(64) { col: 16 @ 32, value: 32 @ 0 };
        }
        /// Diagonals.
        pub format Diagonals = |i, j| (bank: i % 2, local: i / 2, diag: j - i) {
            merge(bank, local); trim(diag); partition(bank); word(64) { local: 16 @ 48, diag: 16 @ 32, value: 32 @ 0 };
        }
        /// Slots by column.
        pub format ByColumn = |i, j| (bank: i % 2, slot, row: i / 2, col: j)
            where { slot = slot(4).group_by(i % 2).key(j).traverse_by(j, i); } {
                merge(bank, slot); pad(slot); partition(bank);
                word(64) { row: 16 @ 48, col: 16 @ 32, value: 32 @ 0 } filler 0xFFFF_0000_0000_0000;
            }
        /// Slots of each block of rows.
        pub format SlotsOfBlocks = |i, j| (bank: i % 2, block: i / 64, slot, row: i / 2 % 32, col: j)
            where { slot = slot(4).group_by(i % 2, i / 64).key(i).traverse_by(j, i); } {
                merge(bank, block, slot); trim(block); pad(slot); partition(bank);
                word(64) { block: 8 @ 56, row: 8 @ 48, col: 16 @ 32, value: 32 @ 0 } filler 0xFFFF_0000_0000_0000;
            }
        /// Slots without a filler.
        pub format NoFiller = |i, j| (bank: i % 2, slot, row: i / 2, col: j)
            where { slot = slot(4).group_by(i % 2).key(i).traverse_by(j, i); } {
                merge(bank, slot); pad(slot); partition(bank); word(64) { row: 16 @ 48, col: 16 @ 32, value: 32 @ 0 };
            }
    }
    let refused = |error: Error, found: [&str; 2]| {
        assert_eq!(error.kind(), ErrorKind::Structure);
        let text = error.to_string();
        assert!(found.iter().all(|part| text.contains(part)), "{text}");
    };
    let parameters = Parameters::default;
    refused(
        Design::<NoRow<f32>>::new(parameters()).unwrap_err(),
        ["level `local`", "a field of the word"],
    );
    refused(
        Design::<ChannelOfRow<f32>>::new(parameters()).unwrap_err(),
        ["level `row`", "a number of coordinates that no shape changes"],
    );
    refused(
        Design::<Diagonals<f32>>::new(parameters()).unwrap_err(),
        ["level `diag`", "of rows or of columns, not of both"],
    );
    refused(
        Design::<ByColumn<f32>>::new(parameters()).unwrap_err(),
        ["level `slot`", "depends on columns"],
    );
    refused(
        Design::<SlotsOfBlocks<f32>>::new(parameters()).unwrap_err(),
        ["level `block`", "windows of columns above the slots"],
    );
    refused(
        Design::<NoFiller<f32>>::new(parameters()).unwrap_err(),
        ["word", "`filler WORD`"],
    );

    let error = Design::<SerpensStreams<f32, 1, 16_384, 10>>::new(parameters()).unwrap_err();
    assert_eq!(
        (error.kind(), error.subject()),
        (ErrorKind::Limit, "parameter `columns`")
    );
    let small = Parameters {
        addresses: 2,
        ..parameters()
    };
    let design = Design::<Usual>::new(small).unwrap();
    let error = design.pack(&padded(&matrix([300, 4], 10, 1))).unwrap_err();
    assert_eq!(
        (error.kind(), error.subject(), error.found()),
        (ErrorKind::Limit, "addresses of sums", "3")
    );
}

#[test]
fn parameters_out_of_bounds() {
    let most = 1 << 30;
    let usual = Parameters::default;
    let wrong = [
        (
            "multiple",
            Parameters {
                multiple: usize::MAX,
                ..usual()
            },
        ),
        ("multiple", Parameters { multiple: 0, ..usual() }),
        (
            "addition",
            Parameters {
                addition: u64::MAX,
                ..usual()
            },
        ),
        (
            "fill",
            Parameters {
                fill: most + 1,
                ..usual()
            },
        ),
        (
            "frequency",
            Parameters {
                frequency: f64::INFINITY,
                ..usual()
            },
        ),
    ];
    for (name, parameters) in wrong {
        let error = Design::<Usual>::new(parameters).unwrap_err();
        assert_eq!(
            (error.kind(), error.subject()),
            (ErrorKind::Limit, &*format!("parameter `{name}`"))
        );
    }
    let slow = Parameters {
        addition: most,
        fill: most,
        multiple: most as usize,
        ..usual()
    };
    let design = Design::<Usual>::new(slow).unwrap();
    let packed = design.pack(&padded(&matrix([300, 70], 20, 51))).unwrap();
    assert!(design.cycles(&packed).total() > most);
    // A gibiword for each channel.
    let error = design
        .project(&packed, &numbers(70, 1), &numbers(300, 2), [1.0; 2])
        .unwrap_err();
    assert_eq!((error.kind(), error.subject()), (ErrorKind::Limit, "buffers"));
}

#[test]
fn limits_and_lengths() {
    for (bytes, subject) in [(1000, "the table of rows and columns"), (3000, "streams")] {
        let strict = Parameters {
            limit: Limit::bytes(bytes),
            ..Parameters::default()
        };
        let design = Design::<Usual>::new(strict).unwrap();
        let error = design.pack(&padded(&matrix([1, 4], 100, 1))).unwrap_err();
        assert_eq!((error.kind(), error.subject()), (ErrorKind::Limit, subject));
    }
    let (design, _, packed) = usual();
    let short = changed(&packed, 1, |words| words.truncate(8));
    let error = design.simulate(&short, &[0.0; 70], &[0.0; 300], [1.0; 2]).unwrap_err();
    assert_eq!((error.kind(), error.found()), (ErrorKind::Length, "8"));
    let error = design.simulate(&packed, &[0.0; 69], &[0.0; 300], [1.0; 2]).unwrap_err();
    assert_eq!((error.kind(), error.subject()), (ErrorKind::Shape, "`x`"));
}
