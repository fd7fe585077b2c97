//! Accelerators that stream a sparse matrix: Serpens, declared as a format, and its neighbours.
//!
//! ```sh
//! cargo run --release --features hls --example hls_streams -- matrix.mtx[.gz] OUT    # a folder for the vendor's tool
//! make -C OUT csim
//! cargo run --release --features hls --example hls_streams -- --figures OUT a.mtx.gz b.mtx.gz ..
//! ```
//!
//! The figures are modelled: `streams.csv` has every term of the cycles, and a chart for each sweep shows words for each
//! element, cycles and GFLOP/s over channels, windows and distances.

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use unisparse::hls::{Cycles, Design, Parameters, chart};
use unisparse::prelude::*;
use unisparse::{Bits, Limit, Triplets, WordParts};

sparse_format! {
    /// Serpens, on 64 processing elements for each of `EIGHTHS`: pairs of rows dealt to eight lanes of each channel, windows of
    /// columns, and slots such that elements of one pair are `DISTANCE` apart.
    pub format SerpensStreams<const EIGHTHS: usize = 2, const WINDOW: usize = 8192, const DISTANCE: usize = 10> = |i, j| (
            arbiter: i / 2 % 8, bank: i / 16 % EIGHTHS, window: j / WINDOW, slot, lane: i / 16 / EIGHTHS % 8,
            pair: i / 128 / EIGHTHS, half: i % 2, col: j % WINDOW
        ) where {
            slot = slot(DISTANCE).group_by(j / WINDOW, i / 2 % 8, i / 16 % EIGHTHS, i / 16 / EIGHTHS % 8)
                .key(i / 128 / EIGHTHS).traverse_by(j, i);
        } {
            merge(arbiter, bank, window, slot); pad(slot); partition(bank);
            word(64) { col: 14 @ 50, pair: 17 @ 33, half: 1 @ 32, value: 32 @ 0 } filler 0x0003_FFFF_0000_0000;
        }
    /// As HiSpMV: single rows, whose elements are five slots apart, on 16 channels of eight lanes.
    pub format SingleRows = |i, j| (channel: i % 16, window: j / 8192, slot, lane: i / 16 % 8, row: i / 128, col: j % 8192)
        where { slot = slot(5).group_by(j / 8192, i % 16, i / 16 % 8).key(i).traverse_by(j, i); } {
            merge(channel, window, slot); pad(slot); partition(channel);
            word(64) { row: 16 @ 48, col: 13 @ 32, value: 32 @ 0 } filler 0xFFFF_0000_0000_0000;
        }
    /// C2SR: rows one after another in 16 channels, each element with its row.
    pub format RowStreams = |i, j| (bank: i % 16, local: i / 16, col: j) {
            merge(bank, local); trim(col); partition(bank);
            word(64) { local: 14 @ 50, col: 18 @ 32, value: 32 @ 0 };
        }
}

/// A design that was tried, and what it changes.
struct Tried {
    sweep: &'static str,
    name: &'static str,
    cycles: Cycles,
    words: usize,
}

fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|j| 0.5 + ((j * 7919) % 1000) as f32 / 1000.0).collect()
}

/// Packs a matrix, checks the stream and the product, and models the cycles.
fn tried<F>(sweep: &'static str, name: &'static str, triplets: &Triplets<f32, 2>) -> Result<Tried, Box<dyn Error>>
where
    F: WordParts<2> + SparseTensor<2, Scalar = f32> + Source<2, Scalar = f32>,
    f32: Bits,
{
    let design = Design::<F>::new(Parameters {
        // Windows of single rows and streams of rows need more sums, and all of x.
        addresses: 1 << 16,
        columns: 1 << 18,
        limit: Limit::none(),
        ..Parameters::default()
    })?;
    let packed = design.pack(&triplets.convert_within(Limit::none())?)?;
    design.check(&packed, triplets)?;
    let [rows, cols] = triplets.shape();
    // Small integers, so that sums are the same in every order.
    let x: Vec<f32> = (0..cols).map(|j| (j % 5) as f32).collect();
    let compressed: Csr<f32> = triplets.convert()?;
    let mut y = vec![0.0; rows];
    spmv(&mut y, &compressed, &x)?;
    let found = design.simulate(&packed, &x, &vec![0.0; rows], [1.0, 0.0])?;
    assert!(found == y, "{name}: another product");
    Ok(Tried {
        sweep,
        name,
        cycles: design.cycles(&packed),
        words: packed.count(),
    })
}

fn all(triplets: &Triplets<f32, 2>) -> Result<Vec<Tried>, Box<dyn Error>> {
    Ok(vec![
        tried::<SerpensStreams<f32, 1, 8192, 10>>("channels", "8", triplets)?,
        tried::<SerpensStreams<f32, 2, 8192, 10>>("channels", "16", triplets)?,
        tried::<SerpensStreams<f32, 3, 8192, 10>>("channels", "24", triplets)?,
        tried::<SerpensStreams<f32, 2, 1024, 10>>("window", "1024", triplets)?,
        tried::<SerpensStreams<f32, 2, 4096, 10>>("window", "4096", triplets)?,
        tried::<SerpensStreams<f32, 2, 8192, 10>>("window", "8192", triplets)?,
        tried::<SerpensStreams<f32, 2, 8192, 1>>("distance", "1", triplets)?,
        tried::<SerpensStreams<f32, 2, 8192, 5>>("distance", "5", triplets)?,
        tried::<SerpensStreams<f32, 2, 8192, 10>>("distance", "10", triplets)?,
        tried::<SerpensStreams<f32, 2, 8192, 10>>("format", "Serpens", triplets)?,
        tried::<SingleRows<f32>>("format", "SingleRows", triplets)?,
        tried::<RowStreams<f32>>("format", "RowStreams", triplets)?,
    ])
}

fn figures(out: &Path, paths: &[PathBuf]) -> Result<(), Box<dyn Error>> {
    let mut csv = "matrix,sweep,value,elements,words,padding,clear,load,compute,memory,drain,wait,cycles,interval,\
                   modelled_gflops\n"
        .to_owned();
    let mut studies: Vec<(String, Vec<Tried>)> = Vec::new();
    for path in paths {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let name = file.trim_end_matches(".gz").trim_end_matches(".mtx").to_owned();
        let read: Triplets<f32, 2> = unisparse::io::read_matrix_market(path)?;
        let ones: Vec<([usize; 2], f32)> = read.iter().map(|(at, _)| (at, 1.0)).collect();
        let studied = all(&Triplets::try_from_triplets(read.shape(), ones)?)?;
        for of in &studied {
            let Cycles {
                clear,
                load,
                compute,
                memory,
                drain,
                wait,
                interval,
                padding,
                elements,
                ..
            } = of.cycles;
            writeln!(
                csv,
                "{name},{},{},{elements},{},{padding:.4},{clear},{load},{compute},{memory},{drain},{wait},{},{interval},{:.3}",
                of.sweep,
                of.name,
                of.words,
                of.cycles.total(),
                of.cycles.gflops()
            )?;
        }
        studies.push((name, studied));
    }
    for sweep in ["channels", "window", "distance", "format"] {
        let of_sweep = |study: &[Tried], value: &dyn Fn(&Tried) -> f64| -> Vec<f64> {
            study.iter().filter(|of| of.sweep == sweep).map(value).collect()
        };
        let series: Vec<&str> = studies
            .iter()
            .take(1)
            .flat_map(|(_, study)| study)
            .filter(|of| of.sweep == sweep)
            .map(|of| of.name)
            .collect();
        let draw = |name: &str, unit: &str, value: &dyn Fn(&Tried) -> f64| {
            let groups: Vec<_> = studies
                .iter()
                .map(|(matrix, study)| (matrix.as_str(), of_sweep(study, value), None))
                .collect();
            let title = format!("Streams over {sweep}, modelled");
            std::fs::write(
                out.join(format!("{name}_{sweep}.svg")),
                chart(&title, unit, &series, &groups),
            )
        };
        draw("words", "words for each element", &|of| {
            of.words as f64 / of.cycles.elements as f64
        })?;
        draw("cycles", "cycles of a product", &|of| of.cycles.total() as f64)?;
        draw("gflops", "GFLOP/s", &|of| of.cycles.gflops())?;
    }
    print!("{csv}");
    Ok(std::fs::write(out.join("streams.csv"), csv)?)
}

/// Writes the folder of a product.
fn folder(matrix: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let triplets: Triplets<f32, 2> = unisparse::io::read_matrix_market(matrix)?;
    let design = Design::<SerpensStreams<f32, 2, 8192, 10>>::new(Parameters {
        limit: Limit::none(),
        ..Parameters::default()
    })?;
    let packed = design.pack(&triplets.convert_within(Limit::none())?)?;
    design.check(&packed, &triplets)?;
    let [rows, cols] = triplets.shape();
    let project = design.project(&packed, &numbers(cols), &numbers(rows), [0.85, -2.06])?;
    project.emit(out)?;
    println!(
        "{}\n{}: {}, {rows} x {cols}",
        design.cycles(&packed),
        out.display(),
        project.name()
    );
    println!("simulate it:   make -C {} csim", out.display());
    println!("synthesise it: make -C {} {}.xclbin", out.display(), project.name());
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    match &arguments[..] {
        [first, out, matrices @ ..] if first.as_os_str() == "--figures" => {
            std::fs::create_dir_all(out)?;
            figures(out, matrices)
        }
        [matrix, out] => folder(matrix, out),
        _ => Err("the arguments are a Matrix Market file and a folder, or --figures, a folder and files".into()),
    }
}
