//! Elements as words: each bit of the layouts below, words that are read back, and what is refused.

use crate::common::Random;
use unisparse::prelude::*;
use unisparse::{ErrorKind, Triplets, WordParts};

sparse_format! {
    /// Windows of columns, slots, two lanes: one stream for each channel.
    pub format Streamed<const GROUPS: usize = 2, const WINDOW: usize = 4> = |i, j| (
            channel: i / 2 % GROUPS, window: j / WINDOW, slot, lane: i / 2 / GROUPS % 2, pair: i / 4 / GROUPS,
            half: i % 2, col: j % WINDOW
        ) where {
            slot = slot(3).group_by(j / WINDOW, i / 2 % GROUPS, i / 2 / GROUPS % 2).key(i / 4 / GROUPS).traverse_by(j, i);
        } {
            merge(channel, window, slot); pad(slot); partition(channel);
            word(64) { col: 14 @ 50, pair: 17 @ 33, half: 1 @ 32, value: 32 @ 0 } filler 0x0003_FFFF_0000_0000;
        }
    /// Rows of words; the row is in each of them, too.
    pub format Rows = |i, j| (row: i, col: j) { merge(row); trim(col); word(128) { row: 40 @ 88, col: 20 @ 64, value: 64 @ 0 }; }
    /// Two streams of rows, each element with its row.
    pub format Streams = |i, j| (stream: i % 2, row: i / 2, col: j) {
        merge(stream, row); trim(col); partition(stream);
        word(64) { row: 16 @ 48, col: 16 @ 32, value: 32 @ 0 };
    }
    /// Diagonals of single elements, whose numbers can be negative.
    pub format Diagonals = |i, j| (diag: j - i, row: i) { trim(diag..=row); word(32) { value: 16 @ 0, diag: 7 @ 16, row: 6 @ 26 }; }
    /// The first element of each row, then the second.
    pub format Slots = |i, j| (slot, row: i, col: j)
        where { slot = enumerate(_ => 0).group_by(i).traverse_by(j); }
        { merge(slot); trim(slot); word(64) { col: 31 @ 0, value: 32 @ 32 }; }
}

/// Random elements, of which none is zero.
fn random(seed: u64, shape: [usize; 2], count: usize) -> Triplets<f32, 2> {
    let mut random = Random::new(seed);
    let triplets = random.triplets(shape, count);
    Triplets::try_from_triplets(shape, triplets.iter().map(|(at, value)| (at, value as f32))).unwrap()
}

#[test]
fn each_field_is_at_its_place() {
    let elements = [([0, 1], 1.0f32), ([8, 8], -0.0)];
    let a: Streamed<f32> = Triplets::try_from_triplets([9, 9], elements)
        .unwrap()
        .convert()
        .unwrap();
    let hole = 0x0003_FFFF_0000_0000;
    // Row 8 is half 0 of pair 1 of lane 0; negative zero is no hole.
    let expected = [1 << 50 | u64::from(1f32.to_bits()), hole, 1 << 33 | 1 << 31, hole];
    assert_eq!(a.parts()[0].words().unwrap(), expected);
    assert_eq!(a.parts()[1].words().unwrap(), []);

    let rows = Rows::try_from_triplets([3, 9], [([2, 8], 1.5f64)]).unwrap();
    assert_eq!(
        rows.words().unwrap(),
        [2u128 << 88 | 8 << 64 | u128::from(1.5f64.to_bits())]
    );
    let diagonals = Diagonals::try_from_triplets([9, 9], [([5, 2], -2i16), ([0, 3], 7)]).unwrap();
    assert_eq!(
        diagonals.words().unwrap(),
        [5 << 26 | (0x80 - 3) << 16 | 0xFFFE, 3 << 16 | 7]
    );
    // Without a filler, a hole has the lowest coordinate and a zero.
    let slots = Slots::try_from_triplets([2, 5], [([1, 4], 2.0f32)]).unwrap();
    assert_eq!(slots.words().unwrap(), [0, u64::from(2f32.to_bits()) << 32 | 4]);
}

#[test]
fn rows_are_streams_of_words() {
    let elements = [([0, 1], 1.0f32), ([1, 2], 2.0), ([2, 0], 3.0)];
    let a = Streams::try_from_triplets([4, 3], elements).unwrap();
    let even = &a.parts()[0];
    let words = even.words().unwrap();
    assert_eq!(words, [0x0000_0001_3f80_0000, 0x0001_0000_4040_0000]);
    let read = StreamsPart::<f32>::try_from_words([4, 3], [0], even.row_ptr().to_vec(), &words).unwrap();
    assert_eq!(read.col_idx(), even.col_idx());
}

#[test]
fn words_are_read_back() {
    for (seed, shape) in [[1, 1], [9, 9], [1, 40], [40, 1], [0, 3], [37, 61], [33, 8]]
        .into_iter()
        .enumerate()
    {
        let triplets = random(seed as u64 + 1, shape, 3 * shape[0] * shape[1] / 4);
        let a: Streamed<f32> = triplets.convert().unwrap();
        let parts = a.parts().iter().map(|part| {
            let words = part.words().unwrap();
            assert_eq!(words.len(), part.stored());
            let (_, prefix, slots, ..) = part.clone().into_parts();
            StreamedPart::<f32, 2, 4>::try_from_words(shape, prefix, slots, &words).unwrap()
        });
        let parts: Vec<_> = parts.collect();
        for (read, part) in parts.iter().zip(a.parts()) {
            assert_eq!(read.clone().into_parts(), part.clone().into_parts());
        }
        assert_eq!(Streamed::try_from_parts(shape, parts).unwrap(), a);

        let slots: Slots<f32> = triplets.convert().unwrap();
        let read = Slots::<f32>::try_from_words(shape, slots.slot_size(), &slots.words().unwrap()).unwrap();
        assert_eq!(read.into_parts(), slots.into_parts());
        let rows: Rows<f32> = triplets.convert().unwrap();
        let read = Rows::<f32>::try_from_words(shape, rows.row_ptr().to_vec(), &rows.words().unwrap()).unwrap();
        assert_eq!(read.into_parts(), rows.into_parts());
    }
}

#[test]
fn streams_give_the_words_of_their_parts() {
    let a: Streamed<f32> = random(5, [30, 20], 200).convert().unwrap();
    assert_eq!(a.count_parts(), 2);
    for (at, part) in a.parts().iter().enumerate() {
        let (mut words, given) = (Vec::new(), a.given(at));
        a.visit_words(at, &mut |levels, word| {
            assert_eq!(levels[0], given[0]);
            words.push(word as u64);
        })
        .unwrap();
        assert_eq!(words, part.words().unwrap());
    }
    let size = |level| <Streamed<f32> as WordParts<2>>::size([30, 20], level);
    assert_eq!((size(1), size(2), size(3)), (Some(5), None, Some(2)));
}

#[test]
fn a_coordinate_that_does_not_fit_is_refused() {
    let a = Diagonals::try_from_triplets([200, 200], [([0, 1], 1i16), ([64, 1], 2)]).unwrap();
    let error = a.words().unwrap_err();
    assert_eq!(
        (error.kind(), error.subject(), error.position()),
        (ErrorKind::Overflow, "level `row`", Some(0))
    );
    let b = Diagonals::try_from_triplets([9, 200], [([0, 1], 1i16), ([3, 67], 2)]).unwrap();
    let error = b.words().unwrap_err();
    assert_eq!(
        (error.subject(), error.position(), error.found()),
        ("level `diag`", Some(1), "64")
    );
    assert_eq!(error.expected(), "-64 to 63, which fit the 7 bits of the word");
}

#[test]
fn words_that_were_changed_are_refused() {
    let rows = Rows::try_from_triplets([3, 9], [([0, 1], 1.0f32), ([2, 4], 2.0), ([2, 8], 3.0)]).unwrap();
    let (ptr, words) = (rows.row_ptr().to_vec(), rows.words().unwrap());
    let read = |change: &dyn Fn(&mut Vec<u128>)| {
        let mut changed = words.clone();
        change(&mut changed);
        Rows::<f32>::try_from_words([3, 9], ptr.clone(), &changed).unwrap_err()
    };
    let error = read(&|words| words[1] += 1 << 88);
    assert_eq!(
        (error.kind(), error.subject(), error.position()),
        (ErrorKind::Structure, "level `row`", Some(1))
    );
    assert_eq!((error.found(), error.expected()), ("3", "2"));
    assert_eq!(
        read(&|words| words[2] |= 1 << 86).expected(),
        format!("{:#x}: bits of no field are zero", words[2])
    );
    assert_eq!(read(&|words| words[2] |= 9 << 64).kind(), ErrorKind::OutOfBounds);
    assert_eq!(read(&|words| words.swap(1, 2)).kind(), ErrorKind::Order);
    assert_eq!(read(&|words| words.truncate(2)).kind(), ErrorKind::Length);
    // The field of a value of 32 bits has 64.
    assert_eq!(read(&|words| words[0] |= 1 << 40).subject(), "values of words");
}

#[test]
fn an_element_is_not_taken_for_a_hole() {
    // An explicit zero in column 1 has an entry of its own.
    let elements = [([0, 0], 1.0f32), ([0, 1], 0.0)];
    let a: Streamed<f32> = Triplets::try_from_triplets([2, 4], elements)
        .unwrap()
        .convert()
        .unwrap();
    let words = a.parts()[0].words().unwrap();
    assert_eq!((words.len(), words[6]), (8, 1 << 50));
    let (_, prefix, slots, ..) = a.parts()[0].clone().into_parts();
    let read = StreamedPart::<f32, 2, 4>::try_from_words([2, 4], prefix, slots, &words).unwrap();
    assert_eq!(read.into_parts(), a.parts()[0].clone().into_parts());
}
