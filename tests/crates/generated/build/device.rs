//! Writes the formats that run on a stand-in for a device, and the table of their calls.

use std::fmt::Write;

use specification::generator::{Declaration, Features, legal};

use crate::number_in;

/// The number of formats, unless `GENERATED_DEVICE_FORMATS` is set.
const FORMATS: usize = 5;

/// The element types, each with the conversion from small integers.
const ELEMENTS: [(&str, &str); 5] = [
    ("f64", "|number| number"),
    ("f32", "|number| number as f32"),
    ("i32", "|number| number as i32"),
    ("f16", "unisparse::f16::from_f64"),
    ("bf16", "unisparse::bf16::from_f64"),
];

/// Returns the declarations of matrices, the kernels over them, and the table.
pub(crate) fn text() -> String {
    let count = number_in("GENERATED_DEVICE_FORMATS", FORMATS as u64) as usize;
    let first = 1_000_000 * number_in("GENERATED_SEED", 0);
    let with_halves = std::env::var_os("CARGO_FEATURE_HALF").is_some();
    let elements = if with_halves { &ELEMENTS[..] } else { &ELEMENTS[..3] };
    let declarations: Vec<Declaration> = (first..)
        .map(|seed| legal(seed, &format!("R{seed}"), Features::ALL))
        .filter(|declaration| declaration.dims == 2)
        .take(count)
        .collect();
    let (mut formats, mut table) = (String::new(), String::new());
    let mut names = Vec::new();
    for (number, Declaration { text, parameters, .. }) in declarations.iter().enumerate() {
        let name: String = text["pub format ".len()..]
            .chars()
            .take_while(|letter| letter.is_alphanumeric())
            .collect();
        let arguments = &["[3, 2]", "[1, 4]", "[2, 5]"][number % 3];
        let arguments = match parameters {
            0 => "[]".to_owned(),
            1 => format!("{}]", &arguments[..2]),
            _ => (*arguments).to_owned(),
        };
        let kind = if text.contains(" partition(") { "cut" } else { "plain" };
        let (element, of) = elements[number % elements.len()];
        writeln!(formats, "unisparse::sparse_format! {{\n/// Generated.\n{text}\n}}").expect("memory");
        writeln!(table, "entry!({element} ({of}) {kind} {name} {arguments} {text:?}),").expect("memory");
        names.push(name);
    }
    let any = names.join(" | ");
    format!(
        "{formats}\nunisparse::sparse_kernel! {{\n\
         /// A transposed product.\npub fn scattered: y[j] = A[i, j] * x[i] where A: {any};\n\
         /// A sampled product.\npub fn sampled: D[i, j] = A[i, j] * P[i, k] * Q[k, j] where A: {any};\n}}\n\
         static TABLE: &[Entry] = &[\n{table}];\n"
    )
}
