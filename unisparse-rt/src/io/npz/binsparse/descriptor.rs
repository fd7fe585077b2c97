//! The descriptor of a file: its text, and what it says.

use super::NAME;
use super::format::{BinsparseFormat, BinsparseLevel};
use super::json::Json;
use crate::io::npz::npy::fault;
use crate::io::{ReadError, ReadErrorKind};
use core::fmt::Write;

/// The version of the specification that is written. Newer drafts demand three numbers.
const VERSION: &str = "0.1.0";

/// What a descriptor says.
pub(super) struct Descriptor {
    pub(super) shape: Vec<usize>,
    pub(super) stored: usize,
    pub(super) format: BinsparseFormat,
    pub(super) values: ValueType,
    pub(super) has_fill: bool,
    /// What is subtracted from indices and pointers.
    pub(super) index_base: i64,
    pub(super) structure: Option<Structure>,
}

/// How the array of values is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ValueType {
    /// One value is that of all elements.
    pub(super) is_iso: bool,
    /// Two numbers are one value.
    pub(super) is_complex: bool,
    /// Numbers that are not zero are true.
    pub(super) is_bool: bool,
}

impl ValueType {
    /// Reads the name of a type: `iso[complex[float64]]`.
    fn of(name: &str) -> Option<Self> {
        let inside = |name: &'_ str, word: &str| {
            let name = name.strip_prefix(word)?.strip_prefix('[')?.strip_suffix(']')?;
            Some(name.to_owned())
        };
        let iso = inside(name, "iso");
        let is_iso = iso.is_some();
        let name = iso.unwrap_or_else(|| name.to_owned());
        let complex = inside(&name, "complex");
        let is_complex = complex.is_some();
        let name = complex.unwrap_or(name);
        let is_float = ["float32", "float64"].contains(&&*name);
        let integers = [
            "bint8", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        ];
        (is_float || (!is_complex && integers.contains(&&*name))).then_some(ValueType {
            is_iso,
            is_complex,
            is_bool: name == "bint8",
        })
    }
}

/// Which triangle of a matrix is stored, and what the other one holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Structure {
    pub(super) is_lower: bool,
    pub(super) mirrored: Mirrored,
}

/// The element of the other triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mirrored {
    Same,
    Conjugate,
    Negative,
}

impl Structure {
    fn of(name: &str) -> Option<Self> {
        let (kind, triangle) = name.rsplit_once('_')?;
        let mirrored = match kind {
            "symmetric" => Mirrored::Same,
            "hermitian" => Mirrored::Conjugate,
            "skew_symmetric" => Mirrored::Negative,
            _ => return None,
        };
        let is_lower = triangle == "lower";
        (is_lower || triangle == "upper").then_some(Structure { is_lower, mirrored })
    }
}

fn wrong(found: String, expected: impl Into<String>) -> ReadError {
    fault(ReadErrorKind::Banner, format!("the descriptor with {found}"), expected)
}

impl Descriptor {
    /// Reads the text of a descriptor.
    ///
    /// # Errors
    /// `Banner` if a member is missing or is not what it should be, `Unsupported` for another major version.
    pub(super) fn read(text: &str) -> Result<Self, ReadError> {
        let not_json = || wrong(format!("the text {text:.60}"), "JSON");
        let all = Json::parse(text).ok_or_else(not_json)?;
        let all = &all[NAME];
        let member = |name: &str, expected: &str| {
            let found = match &all[name] {
                Json::Null => format!("no `{name}`"),
                found => format!("the `{name}` {found:?}"),
            };
            wrong(found, expected)
        };
        let version = all["version"].text().ok_or_else(|| member("version", "a text"))?;
        if version.split('.').next() != Some("0") {
            let found = format!("version {version} of Binsparse");
            return Err(fault(ReadErrorKind::Unsupported, found, "version 0"));
        }
        let shape = all["shape"]
            .list()
            .and_then(|shape| shape.iter().map(Json::count).collect::<Option<Vec<_>>>());
        let shape = shape.ok_or_else(|| member("shape", "a list of extents"))?;
        let format = format_of(all, shape.len()).ok_or_else(|| {
            let expected = format!("a format of the specification for {} dims", shape.len());
            let custom = if all["custom"] == Json::Null {
                "format"
            } else {
                "custom"
            };
            member(custom, &expected)
        })?;
        let values = all["data_types"]["values"].text().and_then(ValueType::of);
        let structure = match &all["structure"] {
            Json::Null => None,
            name => {
                let is_square = matches!(shape[..], [rows, cols] if rows == cols);
                let structure = name.text().and_then(Structure::of).filter(|_| is_square);
                let expected = "`symmetric_lower`, `skew_symmetric_upper` or the like, of a square matrix";
                Some(structure.ok_or_else(|| member("structure", expected))?)
            }
        };
        let stored = all["number_of_stored_values"].count();
        let index_base = match &all["index_base"] {
            Json::Null => Some(0),
            base => base.count().filter(|&base| base <= 1).map(|base| base as i64),
        };
        Ok(Descriptor {
            stored: stored.ok_or_else(|| member("number_of_stored_values", "a count"))?,
            values: values.ok_or_else(|| member("data_types", "a type of the specification for `values`"))?,
            has_fill: all["fill"] == Json::Bool(true),
            index_base: index_base.ok_or_else(|| member("index_base", "0 or 1"))?,
            structure,
            format,
            shape,
        })
    }

    /// Returns the text of a descriptor. `types` are those of the arrays.
    pub(super) fn text(
        shape: &[usize],
        stored: usize,
        format: &BinsparseFormat,
        types: &[(String, String)],
        has_fill: bool,
    ) -> String {
        let types: Vec<String> = types
            .iter()
            .map(|(name, of)| format!("      \"{name}\": \"{of}\""))
            .collect();
        let mut text = format!(
            "{{\n  \"{NAME}\": {{\n    \"version\": \"{VERSION}\",\n    \"format\": \"{}\",\n    \"shape\": {shape:?},\n    \
             \"number_of_stored_values\": {stored},\n    \"data_types\": {{\n{}\n    }}",
            format.name().unwrap_or("custom"),
            types.join(",\n")
        );
        if has_fill {
            text += ",\n    \"fill\": true";
        }
        if format.name().is_none() {
            let element = "{\"level_desc\": \"element\"}".to_owned();
            let level = format.levels().iter().rfold(element, |below, level| {
                let kind = match level {
                    BinsparseLevel::Dense(_) => "dense",
                    BinsparseLevel::Sparse(_) => "sparse",
                };
                let rank = level.dims();
                format!("{{\"level_desc\": \"{kind}\", \"rank\": {rank}, \"level\": {below}}}")
            });
            // Writing to a text does not fail.
            let _ = write!(text, ",\n    \"custom\": {{\"level\": {level}");
            if !format.order().is_sorted() {
                let _ = write!(text, ", \"transpose\": {:?}", format.order());
            }
            text.push('}');
        }
        text + "\n  }\n}"
    }
}

/// Reads the format of a tensor of as many dims.
fn format_of(all: &Json, dims: usize) -> Option<BinsparseFormat> {
    let name = all["format"].text()?;
    let format = if name == "custom" {
        let custom = &all["custom"];
        let order = match &custom["transpose"] {
            Json::Null => (0..dims).collect(),
            order => order.list()?.iter().map(Json::count).collect::<Option<Vec<_>>>()?,
        };
        let (mut levels, mut level) = (Vec::new(), &custom["level"]);
        loop {
            let kind: fn(usize) -> BinsparseLevel = match level["level_desc"].text()? {
                "element" => break,
                "dense" => BinsparseLevel::Dense,
                "sparse" => BinsparseLevel::Sparse,
                _ => return None,
            };
            levels.push(kind(level["rank"].count()?));
            level = &level["level"];
        }
        BinsparseFormat::new(levels, order)?
    } else {
        BinsparseFormat::named(name)?
    };
    (format.order().len() == dims).then_some(format)
}
