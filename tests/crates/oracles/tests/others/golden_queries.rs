//! Formats of queries, and hybrids, compared with the output of other systems.

use crate::common::data::shared;
use serde_json::Value as Json;
use unisparse::formats::{BdiaCsr, Bell, BellCoo, C2sr, Cisr, CisrPlus, Ell, Jds, Sell, Serpens};
use unisparse::kernels::spmv;
use unisparse::prelude::*;

fn paper_matrix(shape: [usize; 2]) -> Triplets<f64, 2> {
    let entries = [
        ([0, 0], 1.0),
        ([1, 1], 2.0),
        ([2, 1], 3.0),
        ([2, 2], 4.0),
        ([2, 3], 5.0),
        ([4, 3], 6.0),
    ];
    Triplets::try_from_triplets(shape, entries.into_iter().rev()).unwrap()
}

fn json(path: &str) -> Option<Json> {
    let path = shared(path)?;
    Some(serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
}

fn integers(array: &Json) -> Vec<usize> {
    let array = array.as_array().unwrap();
    array.iter().map(|entry| entry.as_u64().unwrap() as usize).collect()
}

fn numbers(array: &Json) -> Vec<f64> {
    let array = array.as_array().unwrap();
    array.iter().map(|entry| entry.as_f64().unwrap()).collect()
}

fn wide<I: Copy + TryInto<usize>>(entries: &[I]) -> Vec<usize> {
    entries
        .iter()
        .map(|&entry| entry.try_into().unwrap_or(usize::MAX))
        .collect()
}

/// Returns the matrices of the golden files that are present.
fn matrices() -> Vec<(&'static str, Triplets<f64, 2>)> {
    let mut found = vec![("paperA", paper_matrix([5, 4]))];
    for (name, file) in [("test", "unisparse-test.mtx"), ("wide", "unisparse-wide.mtx")] {
        if let Some(path) = shared(&format!("data/variants/{file}")) {
            found.push((name, unisparse::io::read_matrix_market(path).unwrap()));
        }
    }
    found
}

#[test]
fn the_papers_matrix_by_hand() {
    let triplets = paper_matrix([5, 4]);
    let ell: Ell<f64> = triplets.convert().unwrap();
    assert_eq!(ell.slot_size(), 3);
    assert_eq!(ell.col_idx(), [0, 1, 1, 0, 3, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0]);
    let values = [1, 2, 3, 0, 6, 0, 0, 4, 0, 0, 0, 0, 5, 0, 0].map(f64::from);
    assert_eq!(ell.values(), values);

    // Row 2 is the longest; rows 0, 1 and 4 are equally long, so the first comes first.
    let jds: Jds<f64> = triplets.convert().unwrap();
    assert_eq!((jds.slot_size(), jds.slot_ptr()), (3, &[0, 4, 5, 6][..]));
    assert_eq!(jds.row_idx(), [2, 0, 1, 4]);
    assert_eq!(jds.col_idx(), [1, 0, 1, 3, 2, 3]);
    assert_eq!(jds.values(), [3, 1, 2, 6, 4, 5].map(f64::from));

    // Chunks of two rows, sorted within windows of four: rows 2 0, 1 3, 4.
    let sell: Sell<f64, 2, 4> = triplets.convert().unwrap();
    assert_eq!(sell.chunk_ptr(), [0, 3, 4, 5, 5]);
    assert_eq!(sell.row_idx(), [2, 0, 1, 0, 4, 0, 0, 0]);
    assert_eq!(sell.col_idx(), [1, 0, 2, 0, 3, 0, 1, 0, 3, 0]);
    assert_eq!(sell.values(), [3, 1, 4, 0, 5, 0, 2, 0, 6, 0].map(f64::from));
}

#[test]
fn ell_as_the_authors_system_stores_it() {
    for (name, triplets) in matrices() {
        let Some(golden) = json(&format!("golden/unisparse/levels_{name}.json")) else {
            return;
        };
        for entry in ["ELL(enumerate+custpad)", "ELL(fused, eval)"] {
            let golden = &golden["formats"][entry];
            if golden.is_null() || golden["values"].is_null() {
                eprintln!("SKIPPED: {entry} of {name} is not in the file");
                continue;
            }
            let ell: Ell<f64> = triplets.convert_within(Limit::none()).unwrap();
            let levels = golden["levels"].as_array().unwrap();
            assert_eq!(wide(ell.col_idx()), integers(&levels[3]["crd"]), "{entry} of {name}");
            assert_eq!(ell.values(), numbers(&golden["values"]), "{entry} of {name}");
        }
    }
}

/// Returns the number of elements in each part of a partitioned tensor.
macro_rules! loads {
    ($tensor:expr) => {
        $tensor.parts().iter().map(|part| part.nnz()).collect::<Vec<usize>>()
    };
}

#[test]
fn c2sr_and_the_loads_of_cisr_as_the_authors_system_has_them() {
    for (name, triplets) in matrices() {
        let Some(golden) = json(&format!("golden/unisparse/levels_{name}.json")) else {
            return;
        };
        let levels = |entry: &str| golden["formats"][entry]["levels"].as_array().cloned();
        let Some(levels_of_c2sr) = levels("C2SR-2(paper)") else {
            continue;
        };
        let c2sr: C2sr<f64, 2> = triplets.convert().unwrap();
        // The other system has one `ptr` over both banks; here each part has one.
        let (mut ptr, mut col) = (vec![0], Vec::new());
        for part in c2sr.parts() {
            let before = col.len();
            ptr.extend(wide(part.local_ptr()).iter().skip(1).map(|end| end + before));
            col.extend(wide(part.col_idx()));
        }
        assert_eq!(ptr, integers(&levels_of_c2sr[2]["ptr"]), "{name}");
        assert_eq!(col, integers(&levels_of_c2sr[3]["crd"]), "{name}");

        let Some(levels_of_cisr) = levels("CISR-2") else {
            continue;
        };
        let cisr: Cisr<f64, 2> = triplets.convert().unwrap();
        // Banks 0 and 1 may be swapped, because the other system breaks the tie of two empty banks for bank 1.
        let (banks, rows) = (integers(&levels_of_cisr[1]["ptr"]), integers(&levels_of_cisr[2]["ptr"]));
        let mut golden: Vec<usize> = banks.windows(2).map(|bank| rows[bank[1]] - rows[bank[0]]).collect();
        let mut own = loads!(cisr);
        golden.sort_unstable();
        own.sort_unstable();
        own.drain(..own.len() - golden.len());
        assert_eq!(own, golden, "{name}");
    }
}

/// Our rule: ties go to the lowest bank, and rows without elements are not placed.
#[test]
fn ties_of_schedules() {
    let triplets = paper_matrix([5, 4]);
    let rows = |part: &[u32]| part.to_vec();
    let cisr: Cisr<f64, 2> = triplets.convert().unwrap();
    let found: Vec<Vec<u32>> = cisr.parts().iter().map(|part| rows(part.row_idx())).collect();
    // Row 0 to bank 0, row 1 to bank 1, row 2 to bank 0 (one element each), row 4 to bank 1.
    assert_eq!(found, [vec![0, 2], vec![1, 4]]);
    let plus: CisrPlus<f64, 2> = triplets.convert().unwrap();
    let found: Vec<Vec<u32>> = plus.parts().iter().map(|part| rows(part.row_idx())).collect();
    // Row 2 first: the three others fill bank 1 up to it.
    assert_eq!(found, [vec![2], vec![0, 1, 4]]);
}

#[test]
fn load_imbalance_of_real_graphs() {
    let Some(golden) = json("golden/unisparse/load_imbalance.json") else {
        return;
    };
    let mut compared = 0;
    for name in ["wiki-Vote", "p2p-Gnutella31"] {
        let Some(path) = shared(&format!("data/paper/{name}.mtx.gz")) else {
            continue;
        };
        let triplets: Triplets<f64, 2> = unisparse::io::read_matrix_market(path).unwrap();
        macro_rules! compare {
            ($($banks:literal)*) => {$(
                let of_banks = &golden[format!("{name} P={}", $banks)];
                let c2sr: C2sr<f64, $banks> = triplets.convert().unwrap();
                let cisr: Cisr<f64, $banks> = triplets.convert().unwrap();
                let plus: CisrPlus<f64, $banks> = triplets.convert().unwrap();
                for (column, loads) in [
                    ("C2SR(row mod P) max", loads!(c2sr)),
                    ("CISR greedy max", loads!(cisr)),
                    ("CISR-plus (sorted desc) max", loads!(plus)),
                ] {
                    assert_eq!(loads.len(), $banks, "{name} {column}");
                    assert_eq!(loads.iter().sum::<usize>(), triplets.len(), "{name} {column}");
                    let greatest = *loads.iter().max().unwrap() as u64;
                    assert_eq!(Some(greatest), of_banks[column].as_u64(), "{name} P={} {column}", $banks);
                    compared += 1;
                }
            )*};
        }
        compare!(1024 2048);
    }
    assert!(compared == 12 || compared == 0, "{compared}");
}

/// Returns the part of a hybrid in coordinate or compressed format, as rows, columns and values.
fn elements<S: Source<2, Scalar = f64>>(source: &S) -> (Vec<usize>, Vec<usize>, Vec<f64>) {
    let mut found = Vec::new();
    source.for_each(|[i, j], value| found.push((i, j, value)));
    found.sort_by_key(|&(i, j, _)| (i, j));
    let (rows, cols) = found.iter().map(|&(i, j, _)| (i, j)).unzip();
    (rows, cols, found.iter().map(|&(.., value)| value).collect())
}

fn rest(golden: &Json) -> (Vec<usize>, Vec<usize>, Vec<f64>) {
    (
        integers(&golden["coo_rows"]),
        integers(&golden["coo_cols"]),
        numbers(&golden["coo_vals"]),
    )
}

#[test]
fn hybrids_as_the_authors_system_decomposes() {
    let Some(golden) = json("golden/unisparse/decompose.json") else {
        return;
    };
    // The other system compares `B * fraction` with integers, so its floor gives the same split.
    let bdia = &golden["decompose_BDIA(opt2, commit bf6a346, removed at HEAD)"];
    let bell = &golden["decompose_BELL_COO(commit bf6a346, removed at HEAD)"];
    let mut compared = 0;
    let tensor46 = shared("data/variants/unisparse-tensor46.mtx");
    let tensor46 = tensor46.map(|path| ("tensor46", unisparse::io::read_matrix_market(path).unwrap()));
    for (name, triplets) in [("paperA_5x5", paper_matrix([5, 5]))]
        .into_iter()
        .chain(matrices().into_iter().skip(1))
        .chain(tensor46)
    {
        macro_rules! compare {
            ($($b:literal $fraction:literal)*) => {$(
                let golden = &bdia[format!("{name} bs,thr={} {}", $b, $fraction)];
                if !golden.is_null() {
                    let threshold = (f64::from($b) * $fraction).floor() as i64;
                    let hybrid = BdiaCsr::<f64, $b>::split(&triplets, threshold).unwrap();
                    let (diagonals, csr) = hybrid.parts();
                    assert_eq!(elements(csr), rest(golden), "{name} {} {}", $b, $fraction);
                    assert_eq!(wide(diagonals.block_ptr()), integers(&golden["bdia_block_ptr"]), "{name}");
                    let offsets: Vec<f64> = diagonals.diag_idx().iter().map(|&at| f64::from(at)).collect();
                    assert_eq!(offsets, numbers(&golden["bdia_offsets"]), "{name}");
                    assert_eq!(diagonals.values(), numbers(&golden["bdia_vals"]), "{name}");
                    compared += 1;
                }
            )*};
        }
        compare!(3 0.5  3 0.3  2 0.4  2 0.6);
    }
    // Both have one slot per block row, and no block below the threshold fills a spare slot in the other system.
    let golden = &bell["paperA bs,block_thr,col_thr=2 0.4 1.0"];
    let hybrid = BellCoo::<f64, 2>::split(&paper_matrix([5, 4]), 1).unwrap();
    let (blocks, coo) = hybrid.parts();
    assert_eq!(elements(coo), rest(golden));
    let blocks: &Bell<f64, 2> = blocks;
    assert_eq!(Some(blocks.slot_size() as u64), golden["slots"].as_u64());
    assert_eq!(
        wide(blocks.bcol_idx()),
        integers(&golden["block_cols(row-block-major)"])
    );
    let values: Vec<f64> = golden["blocks"].as_array().unwrap().iter().flat_map(numbers).collect();
    assert_eq!(blocks.values(), values);
    compared += 1;
    eprintln!("decompose.json: {compared} splits equal");
    assert!(compared >= 5, "{compared}");
}

/// Reads the slots, elements and windows of a file of the Serpens host's packing; returns the packed matrix.
macro_rules! serpens {
    ($file:literal, $matrix:literal, $pes:literal, $window:literal) => {{
        let (Some(golden), Some(path)) = (
            json(concat!("golden/serpens/", $file, ".json")),
            shared(concat!("golden/serpens/", $matrix, ".mtx")),
        ) else {
            return;
        };
        assert_eq!(golden["num_pe"].as_u64(), Some($pes));
        assert_eq!(golden["window"].as_u64(), Some($window));
        assert_eq!(golden["dep_dist"].as_u64(), Some(10));
        let triplets: Triplets<f32, 2> = unisparse::io::read_matrix_market(path).unwrap();
        let packed: Serpens<f32, $pes, $window, 10> = triplets.convert_within(Limit::none()).unwrap();
        assert_eq!(wide(packed.window_ptr()), integers(&golden["edge_list_ptr"]), $file);
        let lists = golden["edge_list_pes_nonempty"].as_object().unwrap();
        let mut elements = 0;
        for pe in 0..$pes {
            let golden: Vec<[usize; 4]> = lists.get(&pe.to_string()).map_or(Vec::new(), |list| {
                let list = list.as_array().unwrap();
                list.iter().map(|word| integers(word).try_into().unwrap()).collect()
            });
            let slots = packed.stored() / $pes;
            let own: Vec<[usize; 4]> = (0..slots)
                .map(|slot| (slot, slot * $pes + pe))
                .filter(|&(_, at)| packed.values()[at] != 0.0)
                .map(|(slot, at)| {
                    let row = 2 * packed.pair_idx()[at] as usize + packed.half_idx()[at] as usize;
                    let bits = packed.values()[at].to_bits() as usize;
                    [slot, row, packed.col_idx()[at] as usize, bits]
                })
                .collect();
            assert_eq!(own, golden, "processing element {pe} of {}", $file);
            elements += own.len();
        }
        assert_eq!(elements, triplets.len(), $file);
        packed
    }};
}

#[test]
fn serpens_as_its_host_packs() {
    serpens!("paperA_ch16_w2_d10", "paperA", 128, 2);
    serpens!("paperA_ch24_w8192_d10", "paperA", 192, 8192);
    let paper = serpens!("paperA_ch16_w8192_d10", "paperA", 128, 8192);
    let wide = serpens!("wide40x9000_ch16_w8192_d10", "wide40x9000", 128, 8192);
    // On one thread, sums are in slot order as on the accelerator, so the results are equal bit for bit.
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for (matrix, packed) in [("paperA", paper), ("wide40x9000", wide)] {
        let Some(golden) = json(&format!("golden/serpens/y_{matrix}_ch16.json")) else {
            return;
        };
        let [rows, cols] = packed.shape();
        let x: Vec<f32> = (0..cols).map(|k| k as f32 + 1.0).collect();
        let mut sums = vec![0.0f32; rows];
        one_thread.install(|| spmv(&mut sums, &packed, &x)).unwrap();
        let (alpha, beta) = (0.85f32, -2.06f32);
        let y = sums
            .iter()
            .enumerate()
            .map(|(row, sum)| sum * alpha + -2.0 * (row as f32 + 1.0) * beta);
        let bits: Vec<usize> = y.map(|y: f32| y.to_bits() as usize).collect();
        assert_eq!(bits, integers(&golden["y_out_f32_bits"]), "{matrix}");
    }
}
