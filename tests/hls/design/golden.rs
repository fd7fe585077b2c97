//! Words, bit for bit: those of the real host program where they are at hand, and those of an independent packer.

use std::fs;

use unisparse::Triplets;
use unisparse::hls::{Design, Packed, Parameters};

use super::{SerpensStreams, padded, reference};
use crate::data::shared;
use crate::{Simulated, matrix, numbers, simulate};

/// Returns the text of a member of an object of JSON, without blanks.
fn member(text: &str, name: &str) -> String {
    let start = text
        .find(&format!("\"{name}\":"))
        .unwrap_or_else(|| panic!("no member {name}"));
    let text = text[start + name.len() + 3..].trim_start();
    let mut depth = 0;
    let end = text.find(|c: char| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        depth == 0 && (c == ']' || c == ',' || c == '}')
    });
    let end = end.unwrap();
    text[..end + usize::from(text[end..].starts_with(']'))]
        .split_whitespace()
        .collect()
}

/// Returns the items of a list of JSON.
fn items(list: &str) -> Vec<String> {
    let inner = list
        .strip_prefix('[')
        .and_then(|list| list.strip_suffix(']'))
        .expect("a list");
    let (mut items, mut depth) = (vec![String::new()], 0);
    for c in inner.chars() {
        depth += i32::from(c == '[') - i32::from(c == ']');
        match c {
            ',' if depth == 0 => items.push(String::new()),
            _ => items.last_mut().unwrap().push(c),
        }
    }
    items.retain(|item| !item.is_empty());
    items
}

fn fnv(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// Compares a packing with a file of the real host program, word for word.
fn compare(packed: &Packed, golden: &str) {
    let ptr: Vec<usize> = items(&member(golden, "edge_list_ptr"))
        .iter()
        .map(|end| end.parse().unwrap())
        .collect();
    assert_eq!(packed.window_ptr(), ptr);
    let bubble = u64::from_str_radix(member(golden, "bubble_word").trim_matches('"'), 16).unwrap();
    let channels = items(&member(golden, "channels_nonbubble"));
    let hashes = items(&member(golden, "channel_fnv1a64_full_chunk_le_bytes"));
    assert_eq!((packed.channels(), packed.channels()), (channels.len(), hashes.len()));
    let mut elements = 0;
    for (channel, (words, hash)) in channels.iter().zip(hashes).enumerate() {
        let mut expected = vec![bubble; 8 * ptr[ptr.len() - 1]];
        for word in items(words) {
            let [at, bits]: [String; 2] = items(&word).try_into().unwrap();
            expected[at.parse::<usize>().unwrap()] = u64::from_str_radix(bits.trim_matches('"'), 16).unwrap();
            elements += 1;
        }
        let found: Vec<u64> = packed.words(channel).map(|word| word as u64).collect();
        assert_eq!(found, expected, "channel {channel}");
        assert_eq!(
            fnv(&packed.buffer(channel, 512)),
            hash.trim_matches('"'),
            "channel {channel}"
        );
    }
    assert_eq!(elements, packed.elements());
}

/// Returns the golden file and the matrix.
fn read(file: &str, matrix: &str) -> Option<(String, Triplets<f32, 2>)> {
    let golden = shared(&format!("golden/serpens/{file}.json"))?;
    let matrix = shared(&format!("golden/serpens/{matrix}.mtx"))?;
    let triplets = unisparse::io::read_matrix_market(matrix).unwrap();
    Some((fs::read_to_string(golden).unwrap(), triplets))
}

#[test]
fn words_of_the_real_host() {
    macro_rules! same {
        ($file:literal, $matrix:literal, $eighths:literal, $window:literal) => {{
            let Some((golden, triplets)) = read($file, $matrix) else {
                return;
            };
            let design = Design::<SerpensStreams<f32, $eighths, $window, 10>>::new(Parameters::default()).unwrap();
            let packed = design.pack(&padded(&triplets)).unwrap();
            compare(&packed, &golden);
            assert_eq!(design.check(&packed, &triplets), Ok(()));
        }};
    }
    same!("paperA_ch16_w2_d10", "paperA", 2, 2);
    same!("paperA_ch16_w8192_d10", "paperA", 2, 8192);
    same!("paperA_ch24_w8192_d10", "paperA", 3, 8192);
    same!("wide40x9000_ch16_w8192_d10", "wide40x9000", 2, 8192);
}

#[test]
fn results_of_the_real_kernel() {
    let mut calls = Vec::new();
    for matrix in ["paperA", "wide40x9000"] {
        let Some((golden, triplets)) = read(&format!("y_{matrix}_ch16"), matrix) else {
            return;
        };
        let expected: Vec<u32> = items(&member(&golden, "y_out_f32_bits"))
            .iter()
            .map(|bits| bits.parse().unwrap())
            .collect();
        let [rows, cols] = triplets.shape();
        let x: Vec<f32> = (1..=cols).map(|k| k as f32).collect();
        let y: Vec<f32> = (1..=rows).map(|k| -2.0 * k as f32).collect();
        let design = Design::<SerpensStreams<f32, 2, 8192, 10>>::new(Parameters::default()).unwrap();
        let packed = design.pack(&padded(&triplets)).unwrap();
        let found = design.simulate(&packed, &x, &y, [0.85, -2.06]).unwrap();
        assert_eq!(
            found.iter().map(|y| y.to_bits()).collect::<Vec<_>>(),
            expected,
            "{matrix}"
        );
        calls.push((matrix.to_owned(), design.project(&packed, &x, &y, [0.85, -2.06])));
    }
    simulate(&[Simulated {
        name: "design_golden".to_owned(),
        calls,
    }]);
}

/// The example of the paper, whose words are written out.
#[test]
fn words_of_a_small_matrix() {
    let elements = [
        ([0, 0], 1f32),
        ([1, 1], 2.0),
        ([2, 1], 3.0),
        ([2, 2], 4.0),
        ([2, 3], 5.0),
        ([4, 3], 6.0),
    ];
    let triplets = Triplets::try_from_triplets([5, 4], elements).unwrap();
    let design = Design::<SerpensStreams<f32, 2, 8192, 10>>::new(Parameters::default()).unwrap();
    let packed = design.pack(&padded(&triplets)).unwrap();
    assert_eq!(
        (packed.window_ptr(), packed.channels(), packed.elements()),
        (vec![0, 21], 16, 6)
    );
    let words = |channel| -> Vec<(usize, u64)> {
        let words = packed.words(channel).map(|word| word as u64).enumerate();
        words.filter(|(_, word)| *word != 0x0003_FFFF_0000_0000).collect()
    };
    assert_eq!(words(0), [(0, 0x3f80_0000), (80, 0x0004_0001_4000_0000)]);
    let row = [
        (0, 0x0004_0000_4040_0000),
        (80, 0x0008_0000_4080_0000),
        (160, 0x000c_0000_40a0_0000),
    ];
    assert_eq!(words(2), row);
    assert_eq!(words(4), [(0, 0x000c_0000_40c0_0000)]);
    assert_eq!(packed.padding(), 1.0 - 6.0 / (16.0 * 8.0 * 21.0));
}

#[test]
fn words_and_results_of_another_packer() {
    let shapes = [
        [300, 70],
        [1, 40],
        [40, 1],
        [17, 33],
        [513, 20],
        [5, 9],
        [0, 4],
        [4, 0],
        [64, 64],
        [130, 31],
    ];
    let mut elements = 0;
    macro_rules! same {
        ($eighths:literal, $window:literal, $distance:literal) => {
            for (seed, shape) in shapes.into_iter().enumerate() {
                let percent = [3, 20, 60, 0][seed % 4];
                let mut triplets = matrix(shape, percent, seed as u64 + 100);
                if seed == 0 {
                    triplets.push([299, 69], -0.0).unwrap();
                }
                // Zeros take a slot but are no elements.
                let list: Vec<_> = triplets.iter().collect();
                let design =
                    Design::<SerpensStreams<f32, $eighths, $window, $distance>>::new(Parameters::default()).unwrap();
                let packed = design.pack(&padded(&triplets)).unwrap();
                let expected = reference::pack(shape[1], &list, [8 * $eighths, $window, $distance]);
                assert_eq!(packed.window_ptr(), expected.ptr, "{shape:?}");
                for (channel, words) in expected.channels.iter().enumerate() {
                    let found: Vec<u64> = packed.words(channel).map(|word| word as u64).collect();
                    assert_eq!(&found, words, "{shape:?}, channel {channel}");
                }
                assert_eq!(design.check(&packed, &triplets), Ok(()));
                elements += list.len();
                let (x, y) = (numbers(shape[1], 1), numbers(shape[0], 2));
                let found = design.simulate(&packed, &x, &y, [0.5, -1.25]).unwrap();
                assert_eq!(
                    found,
                    reference::product(&expected, $window, &x, &y, [0.5, -1.25]),
                    "{shape:?}"
                );
                // Sums of another order, in double precision.
                let mut sums: Vec<[f64; 2]> = y
                    .iter()
                    .map(|&y| [-1.25 * f64::from(y), 1.25 * f64::from(y.abs())])
                    .collect();
                for ([i, j], value) in list {
                    let product = 0.5 * f64::from(value) * f64::from(x[j]);
                    sums[i] = [sums[i][0] + product, sums[i][1] + product.abs()];
                }
                for (found, [sum, size]) in found.iter().zip(sums) {
                    assert!(
                        (f64::from(*found) - sum).abs() <= 1e-5 * size,
                        "{found} in place of {sum}"
                    );
                }
            }
        };
    }
    same!(1, 16, 3);
    same!(2, 8, 10);
    same!(3, 40, 2);
    assert!(elements > 6_000, "{elements}");
}
