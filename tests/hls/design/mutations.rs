//! Faults that are put into streams and designs, each of which is found by name.

use std::fs;

use unisparse::hls::{Design, Packed, Parameters, Violation};
use unisparse::{Duplicates, ErrorKind, Triplets};

use super::products::simulated;
use super::{ByRow, FieldOfWindow, OtherLanes, Scheduled, SerpensStreams, padded};
use crate::{compiler, matrix, numbers};

pub(super) type Usual = SerpensStreams<f32, 1, 16, 10>;
const BUBBLE: u128 = 0x0003_FFFF_0000_0000;

/// Returns a design, a matrix of several windows, and its stream.
pub(super) fn usual() -> (Design<Usual>, Triplets<f32, 2>, Packed) {
    let triplets = matrix([300, 70], 20, 51);
    let design = Design::<Usual>::new(Parameters::default()).unwrap();
    let packed = design.pack(&padded(&triplets)).unwrap();
    assert_eq!(design.check(&packed, &triplets), Ok(()));
    (design, triplets, packed)
}

/// Returns the stream after a change of the words of a channel.
pub(super) fn changed(packed: &Packed, channel: usize, change: impl Fn(&mut Vec<u128>)) -> Packed {
    let mut words: Vec<u128> = packed.words(channel).collect();
    change(&mut words);
    let mut packed = packed.clone();
    packed.set_words(channel, words).unwrap();
    packed
}

/// Returns the positions of the first two words of a lane that are elements of one pair of rows.
pub(super) fn pair(packed: &Packed, channel: usize) -> [usize; 2] {
    let words: Vec<u128> = packed.words(channel).collect();
    let is_pair = |&[first, second]: &[usize; 2]| {
        let [one, other] = [words[first], words[second]];
        first % 8 == second % 8 && one != BUBBLE && other != BUBBLE && (one ^ other) >> 33 & 0x1_FFFF == 0
    };
    let pairs = (0..words.len()).flat_map(|first| (first + 8..words.len()).map(move |second| [first, second]));
    pairs.into_iter().find(is_pair).unwrap()
}

#[test]
fn slots_that_are_swapped() {
    let (design, triplets, packed) = usual();
    let [first, second] = pair(&packed, 3);
    let near = changed(&packed, 3, |words| words.swap(second, first + 8));
    let violation = design.check(&near, &triplets).unwrap_err();
    let Violation::Hazard {
        place,
        before,
        distance,
        ..
    } = violation
    else {
        panic!("{violation}")
    };
    assert_eq!((place.channel, place.slot, place.lane), (3, first / 8 + 1, first % 8));
    assert_eq!((before, distance), (first / 8, 10));
    assert!(
        violation.to_string().starts_with("hazard: channel 3, window 0, slot "),
        "{violation}"
    );
    // The simulation in C++ finds it by itself.
    let project = design
        .project(&near, &numbers(70, 1), &numbers(300, 2), [1.0, 0.0])
        .unwrap();
    if let Some((code, text)) = simulated("swapped", &project, ["", ""]) {
        assert_eq!(code, Some(5), "{text}");
        assert!(
            text.contains("of a loop whose pragma says that they are at least 10 apart"),
            "{text}"
        );
    }
}

#[test]
fn slots_by_row_or_too_near() {
    let (design, triplets, _) = usual();
    let by_row = Design::<ByRow<f32, 1, 16, 10>>::new(Parameters::default()).unwrap();
    // The design of that format has a sum for each row in a memory word of its own.
    assert_eq!((by_row.sums_in_memory_word(), design.sums_in_memory_word()), (1, 2));
    let packed = by_row.pack(&padded(&triplets)).unwrap();
    assert_eq!(by_row.check(&packed, &triplets), Ok(()));
    let violation = design.check(&packed, &triplets).unwrap_err();
    assert!(
        matches!(violation, Violation::Hazard { distance: 10, .. }),
        "{violation}"
    );

    let nearer = Design::<SerpensStreams<f32, 1, 16, 9>>::new(Parameters::default()).unwrap();
    let packed = nearer.pack(&padded(&triplets)).unwrap();
    assert_eq!(nearer.check(&packed, &triplets), Ok(()));
    let violation = design.check(&packed, &triplets).unwrap_err();
    let Violation::Hazard { place, before, .. } = violation else {
        panic!("{violation}")
    };
    assert_eq!(place.slot - before, 9);
}

#[test]
fn lanes_of_another_map() {
    let (design, triplets, _) = usual();
    let other = Design::<OtherLanes<f32, 1, 16, 10>>::new(Parameters::default()).unwrap();
    let packed = other.pack(&padded(&triplets)).unwrap();
    assert_eq!(other.check(&packed, &triplets), Ok(()));
    let violation = design.check(&packed, &triplets).unwrap_err();
    assert!(matches!(violation, Violation::Element { .. }), "{violation}");
}

/// The row of a word of `Scheduled` is in its field, and which channel adds it to a sum follows from the lengths of all rows.
#[test]
fn words_of_another_channel() {
    let triplets = matrix([24, 9], 40, 53);
    let design = Design::<Scheduled<f32, 3>>::new(Parameters::default()).unwrap();
    let packed = design.pack(&padded(&triplets)).unwrap();
    assert_eq!(design.check(&packed, &triplets), Ok(()));
    let [first, second]: [Vec<u128>; 2] = [0, 1].map(|channel| packed.words(channel).collect());
    let swapped = changed(&packed, 0, |words| words[2] = second[3]);
    let swapped = changed(&swapped, 1, |words| words[3] = first[2]);
    let violation = design.check(&swapped, &triplets).unwrap_err();
    let Violation::Row { place, row, of_sum } = violation else {
        panic!("{violation}")
    };
    assert_eq!((place.channel, place.slot, row as u128), (0, 2, second[3] >> 48));
    assert_ne!(of_sum, Some(row));
}

/// The packed tensor has an element for coordinates that are repeated.
#[test]
fn coordinates_that_are_repeated() {
    let elements = [
        ([2, 3], 1.5),
        ([0, 1], -2.0),
        ([2, 3], 0.25),
        ([1, 1], 4.0),
        ([1, 1], -4.0),
    ];
    let triplets = Triplets::try_from_triplets([20, 20], elements).unwrap();
    let design = Design::<Usual>::new(Parameters::default()).unwrap();
    let mut packed = design.pack(&padded(&triplets)).unwrap();
    assert_eq!(design.check(&packed, &triplets), Ok(()));
    let last = triplets.clone().duplicates(Duplicates::Last);
    let violation = design.check(&packed, &last).unwrap_err();
    assert!(matches!(violation, Violation::Element { .. }), "{violation}");
    packed = design.pack(&padded(&last)).unwrap();
    assert_eq!(design.check(&packed, &last), Ok(()));
    let violation = design
        .check(&packed, &triplets.duplicates(Duplicates::Reject))
        .unwrap_err();
    let Violation::Matrix { error } = violation else {
        panic!("{violation}")
    };
    assert_eq!(error.kind(), ErrorKind::Duplicate);
}

#[test]
fn words_that_are_replaced() {
    let (_, _, packed) = usual();
    let mut replaced = packed.clone();
    let error = replaced.set_words(1, [BUBBLE, 1 << 64]).unwrap_err();
    assert_eq!((error.kind(), error.position()), (ErrorKind::Overflow, Some(1)));
    assert_eq!(replaced, packed);
    let of_channel = packed.words(1).filter(|&word| word != BUBBLE).count();
    replaced.set_words(1, [BUBBLE, 7, 8]).unwrap();
    assert_eq!(replaced.elements(), packed.elements() - of_channel + 2);
    assert_eq!(replaced.count(), packed.count() - packed.words(1).len() + 3);
}

#[test]
fn words_that_are_changed() {
    let (design, triplets, packed) = usual();
    let found = |change: &dyn Fn(&mut Vec<u128>)| design.check(&changed(&packed, 2, change), &triplets).unwrap_err();
    let element = packed.words(2).position(|word| word != BUBBLE).unwrap();
    let violation = found(&|words| words[element] |= 1 << 31);
    assert!(matches!(violation, Violation::Element { .. }), "{violation}");
    let violation = found(&|words| words[element] |= 1 << 60);
    assert!(
        matches!(violation, Violation::Field { field: "column", .. }),
        "{violation}"
    );
    let violation = found(&|words| words[element] |= 1 << 49);
    assert!(
        matches!(violation, Violation::Field { field: "row", .. }),
        "{violation}"
    );
    let violation = found(&|words| words[element] = BUBBLE);
    assert!(matches!(violation, Violation::Missing { .. }), "{violation}");
    let violation = found(&|words| words.truncate(words.len() - 1));
    let Violation::Length {
        channel,
        found: count,
        expected,
    } = violation
    else {
        panic!("{violation}")
    };
    assert_eq!((channel, count + 1), (2, expected));
    // A filler with another bit is a word of an element.
    let hole = packed.words(2).position(|word| word == BUBBLE).unwrap();
    let violation = found(&|words| words[hole] |= 1);
    assert!(matches!(violation, Violation::Field { .. }), "{violation}");
    // The last window has six of its sixteen columns.
    let last = packed.window_ptr()[4] * 8;
    let words: Vec<u128> = packed.words(2).collect();
    let at = last + words[last..].iter().position(|word| *word != BUBBLE).unwrap();
    let violation = found(&|words| words[at] |= 8 << 50);
    let Violation::Window { place, loaded: 6, .. } = violation else {
        panic!("{violation}")
    };
    assert_eq!(place.window, 4);
    let error = design.simulate(
        &changed(&packed, 2, |words| words[element] |= 1 << 49),
        &numbers(70, 1),
        &numbers(300, 2),
        [1.0; 2],
    );
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Structure);
}

#[test]
fn streams_between_tasks_that_are_too_short() {
    let design = Design::<Usual>::new(Parameters::default()).unwrap();
    let packed = design.pack(&padded(&matrix([300, 200], 5, 52))).unwrap();
    let none = Parameters {
        depth: 0,
        ..Parameters::default()
    };
    let error = Design::<Usual>::new(none).unwrap_err();
    assert_eq!((error.kind(), error.subject()), (ErrorKind::Limit, "parameter `depth`"));
    let project = design
        .project(&packed, &numbers(200, 1), &numbers(300, 2), [1.0, 0.0])
        .unwrap();
    if let Some((code, text)) = simulated("depth", &project, ["beats_3, 2);", "beats_3, 0);"]) {
        assert_eq!(code, Some(3), "{text}");
        assert!(text.contains("stream `beats_3` of depth 0 is full"), "{text}");
    }
    // Sizes that are read channel by channel, as they are not stored, need streams as long as there are windows.
    let text = project.text();
    let from = &text[text.find("    for (unisparse_size window = 1").unwrap()..text.find("// A channel:").unwrap()];
    let one = |channel: usize| {
        format!(
            "    for (unisparse_size window = 1; window <= windows; window++)\n        sizes_{channel}.write(window_size{{sizes[window * (CHANNELS + 1) + {channel}], sizes[window * (CHANNELS + 1) + CHANNELS]}});\n"
        )
    };
    let channels: String = (0..8).map(one).collect();
    if let Some((code, text)) = simulated("order", &project, [from, &format!("{channels}}}\n\n")]) {
        assert_eq!(code, Some(3), "{text}");
        assert!(text.contains("stream `sizes_0` of depth 2 is full"), "{text}");
        assert!(text.contains("stream `sizes_1` of depth 2 is empty"), "{text}");
    }
}

/// A field of the window is read by nothing in the hardware.
#[test]
fn fields_that_are_not_those_of_the_place() {
    let triplets = matrix([45, 50], 30, 55);
    let design = Design::<FieldOfWindow<f32, 4, 16>>::new(Parameters::default()).unwrap();
    assert_eq!(design.window(), Some(16));
    let packed = design.pack(&padded(&triplets)).unwrap();
    assert_eq!(packed.window_ptr().len() - 1, 4);
    assert_eq!(design.check(&packed, &triplets), Ok(()));
    let other = changed(&packed, 2, |words| {
        let word = words.iter_mut().find(|word| **word >> 48 != 0xFFFF).unwrap();
        *word ^= 1 << 40;
    });
    let violation = design.check(&other, &triplets).unwrap_err();
    assert!(
        matches!(violation, Violation::Field { field: "window", .. }),
        "{violation}"
    );
    let (x, y) = (numbers(50, 1), numbers(45, 2));
    let [usual, other] = [&packed, &other].map(|packed| design.simulate(packed, &x, &y, [1.0; 2]).unwrap());
    assert_eq!(usual, other);
}

/// The simulation in C++ finds words that lead outside of the chip, which no packing has: files are changed after they are written.
#[test]
fn words_that_lead_outside_of_the_chip() {
    let (design, _, packed) = usual();
    let project = design
        .project(&packed, &numbers(70, 1), &numbers(300, 2), [1.0, 0.0])
        .unwrap();
    let folder = compiler::folder("design_outside");
    project.emit(&folder).unwrap();
    let Some(program) = compiler::compile(&folder, &folder.join("shim")) else {
        return;
    };
    let file = folder.join("golden/words_3.bin");
    let words = fs::read(&file).unwrap();
    let run = |word: u64| {
        let mut changed = words.clone();
        changed[16..24].copy_from_slice(&word.to_le_bytes());
        fs::write(&file, changed).unwrap();
        let output = compiler::run(&program, &folder.join("golden"));
        (output.status.code(), compiler::text(&output))
    };
    for (word, place) in [(0x1_FFFF << 33, "address"), (16 << 50, "column")] {
        let (code, text) = run(word);
        assert_eq!(code, Some(4), "{text}");
        assert!(text.contains(place), "{text}");
    }
    fs::write(&file, &words).unwrap();
    assert_eq!(compiler::run(&program, &folder.join("golden")).status.code(), Some(0));
}
