//! The Matrix Market exchange format.

use super::scanner::Scanner;
use super::{InFile, ReadError, ReadErrorKind, ReadScalar, TRUSTED_COUNT, read_file};
use crate::element::Scalar as _;
use crate::names::short_type_name;
use crate::triplets::Triplets;
use std::io::Read;
use std::path::Path;

/// Reads a Matrix Market file, plain or gzip. See [`parse_matrix_market`].
///
/// # Errors
/// As [`parse_matrix_market`], and [`ReadErrorKind::Io`] if the file cannot be opened.
pub fn read_matrix_market<T: InFile<Number: ReadScalar>>(path: impl AsRef<Path>) -> Result<Triplets<T, 2>, ReadError> {
    read_file(path.as_ref(), parse_matrix_market)
}

/// Reads the text of a Matrix Market file, plain or gzip, into the whole matrix that it represents.
///
/// Every banner of the format is supported: `coordinate` and `array`; `real`, `double`, `integer`,
/// `unsigned-integer`, `complex` and `pattern`; `general`, `symmetric`, `skew-symmetric` and
/// `hermitian`. Deviations of existing files from the specification are handled as follows:
///
/// - The banner's case does not matter, and it may begin with a single `%`. Blank lines, comment lines
///   and blanks at either end of a line may occur anywhere after it. One entry takes one line.
/// - The field determines how many numbers an entry has; the element type determines which numbers are accepted, see
///   [`ReadScalar`]. An `integer` file with the entry `2.5` is an `f64` matrix, not an `i32` one.
/// - In a symmetric, skew-symmetric or Hermitian file each entry off the diagonal also adds its
///   mirror image, for entries above the diagonal as well as below. If a file stores both triangles under
///   such a banner, the matrix has each entry twice. The diagonal is taken as stored, even if it is not
///   zero in a skew-symmetric `coordinate` file, or not real in a Hermitian one.
/// - `hermitian` with a real field means `symmetric`.
/// - A `vector` is a matrix of one column.
/// - Zeros of a `coordinate` file are stored, zeros of an `array` file are not.
///
/// # Errors
/// - [`Banner`](ReadErrorKind::Banner), [`Unsupported`](ReadErrorKind::Unsupported): the first line
///   is not a banner; `pattern` is combined with `array`, `skew-symmetric` or `hermitian`; a complex file is
///   read into a real type.
/// - [`Size`](ReadErrorKind::Size): a size is not a count, or a matrix with symmetry is not square.
/// - [`Index`](ReadErrorKind::Index): an index is not in `1..=rows` or `1..=columns`.
/// - [`Number`](ReadErrorKind::Number), [`Range`](ReadErrorKind::Range): a value is not a number, or
///   `T` cannot hold it or the mirror image of a skew-symmetric entry.
/// - [`Missing`](ReadErrorKind::Missing), [`Trailing`](ReadErrorKind::Trailing),
///   [`TooFew`](ReadErrorKind::TooFew), [`TooMany`](ReadErrorKind::TooMany): a line or the file is
///   too short or too long.
/// - [`Io`](ReadErrorKind::Io), [`TooLong`](ReadErrorKind::TooLong): see there.
pub fn parse_matrix_market<T: InFile<Number: ReadScalar>, R: Read>(reader: R) -> Result<Triplets<T, 2>, ReadError> {
    let mut scanner = Scanner::new(reader)?;
    let banner = Banner::parse::<T>(&mut scanner)?;
    scanner.comments_begin_with(b'%');
    let matrix = match banner.layout {
        Layout::Coordinate => coordinate(&mut scanner, &banner)?,
        Layout::Array => array(&mut scanner, &banner)?,
    };
    scanner.expect_file_end()?;
    Ok(matrix)
}

struct Banner {
    is_vector: bool,
    layout: Layout,
    field: Field,
    symmetry: Symmetry,
}

#[derive(Clone, Copy, PartialEq)]
enum Layout {
    Coordinate,
    Array,
}

/// The number of numbers per entry: one, two or none.
#[derive(Clone, Copy, PartialEq)]
enum Field {
    Real,
    Complex,
    Pattern,
}

#[derive(Clone, Copy, PartialEq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
    Hermitian,
}

impl Banner {
    fn parse<T: InFile<Number: ReadScalar>>(scanner: &mut Scanner<'_>) -> Result<Self, ReadError> {
        const BANNER: &str = "%%MatrixMarket";
        if !scanner.next_line()? {
            return Err(scanner.fault_at_end(ReadErrorKind::Banner, "an empty file", BANNER));
        }
        if !scanner.word().eq_ignore_ascii_case(BANNER.as_bytes())
            && !scanner.word().eq_ignore_ascii_case(&BANNER.as_bytes()[1..])
        {
            return Err(scanner.fault(ReadErrorKind::Banner, "", BANNER));
        }

        let objects = [("matrix", false), ("vector", true)];
        let is_vector = keyword(scanner, "object", &objects)?;

        let layouts = [("coordinate", Layout::Coordinate), ("array", Layout::Array)];
        let layout = keyword(scanner, "layout", &layouts)?;

        let fields = [
            ("real", Field::Real),
            ("double", Field::Real),
            ("integer", Field::Real),
            ("unsigned-integer", Field::Real),
            ("complex", Field::Complex),
            ("pattern", Field::Pattern),
        ];
        let field = keyword(scanner, "field", &fields)?;
        if field == Field::Pattern && layout == Layout::Array {
            return Err(unsupported(scanner, "field", "a field with values for an array"));
        }
        if field == Field::Complex && !T::Number::COMPLEX {
            let expected = format!("a field that fits elements of type {}", short_type_name::<T>());
            return Err(unsupported(scanner, "field", &expected));
        }

        let symmetries = [
            ("general", Symmetry::General),
            ("symmetric", Symmetry::Symmetric),
            ("skew-symmetric", Symmetry::Skew),
            ("hermitian", Symmetry::Hermitian),
        ];
        let symmetry = keyword(scanner, "symmetry", &symmetries)?;
        if is_vector && symmetry != Symmetry::General {
            return Err(unsupported(scanner, "symmetry", "general for a vector"));
        }
        if field == Field::Pattern && matches!(symmetry, Symmetry::Skew | Symmetry::Hermitian) {
            return Err(unsupported(scanner, "symmetry", "general or symmetric for a pattern"));
        }
        scanner.expect_line_end()?;
        Ok(Banner {
            is_vector,
            layout,
            field,
            symmetry,
        })
    }

    /// Reads the numbers of rows and columns from the size line.
    fn shape(&self, scanner: &mut Scanner<'_>) -> Result<[usize; 2], ReadError> {
        if !scanner.next_line()? {
            return Err(scanner.fault_at_end(ReadErrorKind::Size, "the end of the file", "the size line"));
        }
        let rows = scanner.size("row count")?;
        if self.is_vector {
            return Ok([rows, 1]);
        }
        scanner.expect("the column count")?;
        let columns = scanner.size("column count")?;
        if self.symmetry != Symmetry::General && columns != rows {
            let expected = format!("{rows}, as there are rows, for the symmetry in the banner");
            return Err(scanner.fault(ReadErrorKind::Size, "column count", expected));
        }
        Ok([rows, columns])
    }
}

/// Reads the next word, which must be one of `words`, and returns its meaning.
fn keyword<V: Copy>(scanner: &mut Scanner<'_>, what: &str, words: &[(&str, V)]) -> Result<V, ReadError> {
    scanner.expect(&format!("the {what}"))?;
    let found = words
        .iter()
        .find(|(word, _)| scanner.word().eq_ignore_ascii_case(word.as_bytes()));
    found.map(|&(_, meaning)| meaning).ok_or_else(|| {
        let known: Vec<&str> = words.iter().map(|&(word, _)| word).collect();
        scanner.fault(ReadErrorKind::Banner, what, format!("one of {}", known.join(", ")))
    })
}

fn unsupported(scanner: &Scanner<'_>, what: &str, expected: &str) -> ReadError {
    scanner.fault(ReadErrorKind::Unsupported, what, expected)
}

/// Reads a `coordinate` file from its size line on.
fn coordinate<T: InFile<Number: ReadScalar>>(
    scanner: &mut Scanner<'_>,
    banner: &Banner,
) -> Result<Triplets<T, 2>, ReadError> {
    let [rows, columns] = banner.shape(scanner)?;
    scanner.expect("the entry count")?;
    let count = scanner.size("entry count")?;
    if count > 0 && (rows == 0 || columns == 0) {
        let expected = "0 in an empty matrix";
        return Err(scanner.fault(ReadErrorKind::Size, "entry count", expected));
    }
    scanner.expect_line_end()?;

    let mut matrix = Triplets::with_capacity([rows, columns], count.min(TRUSTED_COUNT));
    for done in 0..count {
        if !scanner.next_line()? {
            return Err(scanner.too_few(done, count));
        }
        let row = scanner.index("row index", 1..=rows)? - 1;
        let column = match banner.is_vector {
            true => 0,
            false => {
                scanner.expect("the column index")?;
                scanner.index("column index", 1..=columns)? - 1
            }
        };
        if banner.field != Field::Pattern {
            scanner.expect("the value")?;
        }
        let value = value::<T>(scanner, banner.field)?;
        store(&mut matrix, scanner, banner.symmetry, [row, column], value)?;
        scanner.expect_line_end()?;
    }
    Ok(matrix)
}

/// Reads an `array` file from its size line on: values column by column; with symmetry only the values on or below the
/// diagonal, if skew only those below.
fn array<T: InFile<Number: ReadScalar>>(
    scanner: &mut Scanner<'_>,
    banner: &Banner,
) -> Result<Triplets<T, 2>, ReadError> {
    let [rows, columns] = banner.shape(scanner)?;
    scanner.expect_line_end()?;

    let (all_rows, all_columns) = (rows as u128, columns as u128);
    let count = match banner.symmetry {
        Symmetry::General => all_rows * all_columns,
        Symmetry::Symmetric | Symmetry::Hermitian => all_rows * (all_rows + 1) / 2,
        Symmetry::Skew => all_rows * all_rows.saturating_sub(1) / 2,
    };
    let mut done = 0;
    let mut matrix = Triplets::new([rows, columns]);
    // Without rows there is nothing to read, whatever the number of columns.
    for column in 0..if rows == 0 { 0 } else { columns } {
        let first_row = match banner.symmetry {
            Symmetry::General => 0,
            Symmetry::Symmetric | Symmetry::Hermitian => column,
            Symmetry::Skew => column + 1,
        };
        for row in first_row..rows {
            if !scanner.next_line()? {
                return Err(scanner.too_few(done, count));
            }
            let value = value::<T>(scanner, banner.field)?;
            if value.is_none_or(|value| !value.is_zero()) {
                store(&mut matrix, scanner, banner.symmetry, [row, column], value)?;
            }
            scanner.expect_line_end()?;
            done += 1;
        }
    }
    Ok(matrix)
}

/// Reads the value that begins with the current word; `None` for a pattern.
#[inline]
fn value<T: InFile<Number: ReadScalar>>(
    scanner: &mut Scanner<'_>,
    field: Field,
) -> Result<Option<T::Number>, ReadError> {
    match field {
        Field::Pattern => Ok(None),
        Field::Real => scanner.number::<T>().map(Some),
        Field::Complex => {
            let real = scanner.number::<T>()?;
            scanner.expect("the imaginary part")?;
            real.with_imaginary(scanner.word())
                .map(Some)
                .map_err(|kind| scanner.fault(kind, "imaginary part", T::Number::EXPECTED))
        }
    }
}

/// Appends an element, and its mirror image if the file omits that.
#[inline]
fn store<T: InFile<Number: ReadScalar>>(
    matrix: &mut Triplets<T, 2>,
    scanner: &Scanner<'_>,
    symmetry: Symmetry,
    [row, column]: [usize; 2],
    value: Option<T::Number>,
) -> Result<(), ReadError> {
    let mut push = |coordinate, value: Option<T::Number>| {
        let pushed = matrix.push(coordinate, value.map_or(T::UNIT, T::of_number));
        debug_assert!(pushed.is_ok(), "the indices are checked, the mirrored matrix is square");
    };
    push([row, column], value);
    if symmetry == Symmetry::General || row == column {
        return Ok(());
    }
    let mirrored = value.map(|value| match symmetry {
        Symmetry::Skew => value.negated().ok_or_else(|| {
            let expected = format!("{} when negated, for its mirror image", T::Number::EXPECTED);
            scanner.fault(ReadErrorKind::Range, "value", expected)
        }),
        Symmetry::Hermitian => Ok(value.conjugated()),
        Symmetry::General | Symmetry::Symmetric => Ok(value),
    });
    push([column, row], mirrored.transpose()?);
    Ok(())
}
