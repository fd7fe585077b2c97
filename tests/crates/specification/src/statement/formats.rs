//! Formats for statements: levels that some statements make constant, and levels that others determine.

use super::super::generator::Random;
use super::INDICES;

/// Expressions that are zero if two dims are read at one index, or always.
const VANISHING: [&str; 6] = [
    "(2 * X) % 2",
    "(4 * X + 2 * Y) % 2",
    "(X - Y) % 3",
    "(X - Y) / 2",
    "X - Y",
    "2 * X - 2 * Y",
];
/// Expressions that the dims determine.
const DETERMINED: [&str; 7] = ["X", "X", "X + Y", "X - Y", "X % 2", "X / 2", "(X + Y) / 3"];

/// Returns a legal declaration without queries. All its levels are integer combinations of the dims, possibly in blocks
/// and with terms that vanish.
pub fn format(mut random: Random, name: &str, dims: usize) -> String {
    let mut levels = combinations(&mut random, dims);
    if random.one_in(4) {
        let (at, size) = (random.below(levels.len()), 2 + random.below(2));
        let whole = std::mem::take(&mut levels[at]);
        levels[at] = format!("({whole}) / {size}");
        levels.insert(at + 1, format!("({whole}) % {size}"));
    }
    if !random.one_in(3) {
        let vanishing = random.any(&VANISHING);
        let term = of_dims(vanishing, &mut random, dims);
        let at = random.below(levels.len());
        let (sign, factor) = (random.any(&["+", "-"]), 1 + random.below(2));
        levels[at] += &format!(" {sign} {factor} * ({term})");
        levels.insert(random.below(at + 1), term);
    }
    for _ in 0..random.below(3) {
        let determined = random.any(&DETERMINED);
        let level = of_dims(determined, &mut random, dims);
        levels.insert(random.below(levels.len() + 1), level);
    }
    let mut primitives = String::new();
    for at in 0..levels.len() {
        if at + 1 < levels.len() && random.one_in(2) {
            primitives += &format!(" merge({at});");
        }
        if random.one_in(2) {
            primitives += &format!(" trim({at});");
        }
    }
    let levels: Vec<String> = levels
        .iter()
        .enumerate()
        .map(|(at, level)| format!("l{at}: {level}"))
        .collect();
    format!(
        "pub format {name} = |{}| ({}) {{{primitives} }}",
        INDICES[..dims].join(", "),
        levels.join(", ")
    )
}

/// Substitutes two dims in a text.
fn of_dims(text: &str, random: &mut Random, dims: usize) -> String {
    let (x, y) = (random.below(dims), random.below(dims));
    text.replace('X', INDICES[x]).replace('Y', INDICES[y])
}

/// Returns as many integer combinations of the dims as there are dims, which determine the dims.
fn combinations(random: &mut Random, dims: usize) -> Vec<String> {
    let mut rows: Vec<Vec<i64>> = (0..dims)
        .map(|row| (0..dims).map(|dim| i64::from(row == dim)).collect())
        .collect();
    for at in (1..dims).rev() {
        rows.swap(at, random.below(at + 1));
    }
    for _ in 0..random.below(4) {
        let (to, from) = (random.below(dims), random.below(dims));
        if to != from {
            let factor = random.any(&[-2, -1, -1, 1, 1, 2]);
            let added = rows[from].clone();
            rows[to]
                .iter_mut()
                .zip(added)
                .for_each(|(old, added)| *old += factor * added);
        }
    }
    rows.iter().map(|row| combination(row)).collect()
}

fn combination(row: &[i64]) -> String {
    let terms = row.iter().zip(INDICES).filter(|(factor, _)| **factor != 0);
    let mut text = String::new();
    for (factor, dim) in terms {
        let sign = match (text.is_empty(), *factor < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        let size = factor.unsigned_abs();
        text += &if size == 1 {
            format!("{sign}{dim}")
        } else {
            format!("{sign}{size} * {dim}")
        };
    }
    text
}
