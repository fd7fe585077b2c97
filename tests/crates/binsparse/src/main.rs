//! The programs that the compliance suite of Binsparse runs, in one: the first argument is the name.
//!
//! - `npy_to_binsparse TENSOR PATTERN FILL HEADER OUT` writes the elements of a dense array where the pattern is true.
//! - `binsparse_to_npy IN TENSOR PATTERN FILL` is the reverse.
//! - `binsparse_to_binsparse IN OUT` reads a file and writes it again.

mod npy;

use npy::{Npy, Raw};
use serde_json::Value;
use std::error::Error;
use std::fs::{self, File};
use std::io::BufWriter;
use unisparse::io::{Binsparse, BinsparseFormat, BinsparseLevel, InFile, NpzScalar};
use unisparse::{Complex32, Complex64, Stored, Triplets};

type Outcome = Result<(), Box<dyn Error>>;

/// An element type of Binsparse.
trait Element: Raw + Stored + InFile<Number: NpzScalar> {}
impl<T: Raw + Stored + InFile<Number: NpzScalar>> Element for T {}

/// Calls a function for this number of dims and type of values.
macro_rules! call {
    ($function:ident($($argument:expr),*), $values:expr, $dims:expr) => {
        call!(@types $function($($argument),*), $values, $dims; "bint8": bool, "int8": i8, "int16": i16, "int32": i32,
            "int64": i64, "uint8": u8, "uint16": u16, "uint32": u32, "uint64": u64, "float32": f32, "float64": f64,
            "complex[float32]": Complex32, "complex[float64]": Complex64)
    };
    (@types $function:ident $arguments:tt, $values:expr, $dims:expr; $($name:literal: $type:ty),*) => {
        match $values {
            $($name => call!(@dims $function $arguments, $type, $dims),)*
            other => Err(format!("values of type {other}").into()),
        }
    };
    (@dims $function:ident($($argument:expr),*), $type:ty, $dims:expr) => {
        match $dims {
            0 => $function::<$type, 0>($($argument),*),
            1 => $function::<$type, 1>($($argument),*),
            2 => $function::<$type, 2>($($argument),*),
            3 => $function::<$type, 3>($($argument),*),
            4 => $function::<$type, 4>($($argument),*),
            5 => $function::<$type, 5>($($argument),*),
            6 => $function::<$type, 6>($($argument),*),
            dims => Err(format!("{dims} dims").into()),
        }
    };
}

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["npy_to_binsparse", tensor, pattern, fill, header, out] => {
            let header: Value = serde_json::from_str(&fs::read_to_string(header)?)?;
            let (tensor, pattern, fill) = (Npy::read(tensor)?, Npy::read(pattern)?, Npy::read(fill)?);
            let format = format(&header, tensor.shape.len()).ok_or("another format")?;
            call!(from_npy(&tensor, &pattern, &fill, format, out), values(&header), tensor.shape.len())
        }
        ["binsparse_to_npy", from, tensor, pattern, fill] => {
            let header = header(from)?;
            call!(to_npy(from, tensor, pattern, fill), values(&header), dims(&header))
        }
        ["binsparse_to_binsparse", from, to] => {
            let header = header(from)?;
            call!(again(from, to), values(&header), dims(&header))
        }
        _ => Err("expected `npy_to_binsparse`, `binsparse_to_npy` or `binsparse_to_binsparse` and its files".into()),
    }
}

fn from_npy<T: Element, const N: usize>(
    tensor: &Npy,
    pattern: &Npy,
    fill: &Npy,
    format: BinsparseFormat,
    out: &str,
) -> Outcome {
    let shape: [usize; N] = tensor.shape[..].try_into()?;
    let mut elements = Triplets::new(shape);
    for (number, (value, is_stored)) in tensor.entries::<T>().zip(pattern.entries::<bool>()).enumerate() {
        if is_stored {
            elements.push(coordinate(number, shape), value)?;
        }
    }
    let fill = fill.entries().next();
    write(&Binsparse { elements, format, fill }, out)
}

fn to_npy<T: Element, const N: usize>(from: &str, tensor: &str, pattern: &str, fill: &str) -> Outcome {
    let file = read::<T, N>(from)?;
    let shape = file.elements.shape();
    let fill_value = file.fill.ok_or("a file without a fill value")?;
    let size = shape.iter().product();
    let (mut values, mut stored) = (vec![fill_value; size], vec![false; size]);
    for (at, value) in file.elements.iter() {
        let number = at.iter().zip(shape).fold(0, |number, (at, extent)| number * extent + at);
        (values[number], stored[number]) = (value, true);
    }
    Npy::of(&shape, &values).write(tensor)?;
    Npy::of(&shape, &stored).write(pattern)?;
    Npy::of(&[], &[fill_value]).write(fill)
}

fn again<T: Element, const N: usize>(from: &str, to: &str) -> Outcome {
    write(&read::<T, N>(from)?, to)
}

fn read<T: Element, const N: usize>(path: &str) -> Result<Binsparse<T, N>, Box<dyn Error>> {
    Ok(Binsparse::parse(File::open(path)?)?)
}

fn write<T: Element, const N: usize>(file: &Binsparse<T, N>, path: &str) -> Outcome {
    Ok(file.write_to(&mut BufWriter::new(File::create(path)?))?)
}

/// Returns the coordinate with this number in row-major order.
fn coordinate<const N: usize>(mut number: usize, shape: [usize; N]) -> [usize; N] {
    let mut at = [0; N];
    for (at, extent) in at.iter_mut().zip(shape).rev() {
        (*at, number) = (number % extent, number / extent);
    }
    at
}

/// Reads the descriptor of a file whose arrays are not compressed, as the suite makes them.
fn header(path: &str) -> Result<Value, Box<dyn Error>> {
    let bytes = fs::read(path)?;
    let archive = rawzip::ZipArchive::from_slice(&bytes)?;
    let mut entries = archive.entries();
    while let Some(entry) = entries.next_entry()? {
        if entry.file_path().as_bytes() == b"binsparse.npy" {
            let text = Npy::parse(archive.get_entry(entry.wayfinder())?.data())?.text();
            return Ok(serde_json::from_str::<Value>(&text)?["binsparse"].take());
        }
    }
    Err("no descriptor".into())
}

fn dims(header: &Value) -> usize {
    header["shape"].as_array().map_or(0, Vec::len)
}

fn values(header: &Value) -> &str {
    let name = header["data_types"]["values"].as_str().unwrap_or_default();
    name.strip_prefix("iso[").and_then(|name| name.strip_suffix(']')).unwrap_or(name)
}

fn format(header: &Value, dims: usize) -> Option<BinsparseFormat> {
    let name = header["format"].as_str()?;
    if name != "custom" {
        return BinsparseFormat::named(name);
    }
    let order = match header["custom"]["transpose"].as_array() {
        Some(order) => order.iter().map(|dim| Some(dim.as_u64()? as usize)).collect::<Option<_>>()?,
        None => (0..dims).collect::<Vec<_>>(),
    };
    let (mut levels, mut level) = (Vec::new(), &header["custom"]["level"]);
    while level["level_desc"] != "element" {
        let dims = level["rank"].as_u64()? as usize;
        levels.push(match level["level_desc"].as_str()? {
            "dense" => BinsparseLevel::Dense(dims),
            _ => BinsparseLevel::Sparse(dims),
        });
        level = &level["level"];
    }
    BinsparseFormat::new(levels, order)
}
