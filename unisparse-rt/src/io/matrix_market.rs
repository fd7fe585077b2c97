//! The Matrix Market exchange format.

use super::entries::Entries;
use super::files::read_file;
use super::pieces::{Line, read_lines};
use super::plain::PlainWords;
use super::scanner::Scanner;
use super::text::{Stream, Text};
use super::{BYTES_PER_ENTRY, InFile, ReadError, ReadErrorKind, ReadScalar, TRUSTED_COUNT};
use crate::element::Scalar as _;
use crate::names::short_type_name;
use crate::triplets::Triplets;
use std::io::Read;
use std::marker::PhantomData;
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
    parse(Scanner::new(reader)?)
}

/// Reads the text of a scanner.
pub(super) fn parse<T: InFile<Number: ReadScalar>>(
    mut scanner: Scanner<Stream<'_>>,
) -> Result<Triplets<T, 2>, ReadError> {
    let banner = Banner::parse::<T>(&mut scanner)?;
    scanner.comments_begin_with(b'%');
    let matrix = match banner.layout {
        FileLayout::Coordinate => coordinate(&mut scanner, &banner)?,
        FileLayout::Array => array(&mut scanner, &banner)?,
    };
    scanner.expect_file_end()?;
    Ok(matrix)
}

struct Banner {
    is_vector: bool,
    layout: FileLayout,
    field: Field,
    symmetry: Symmetry,
}

#[derive(Clone, Copy, PartialEq)]
enum FileLayout {
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
    fn parse<T: InFile<Number: ReadScalar>>(scanner: &mut Scanner<Stream<'_>>) -> Result<Self, ReadError> {
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

        let layouts = [("coordinate", FileLayout::Coordinate), ("array", FileLayout::Array)];
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
        if field == Field::Pattern && layout == FileLayout::Array {
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
    fn shape(&self, scanner: &mut Scanner<Stream<'_>>) -> Result<[usize; 2], ReadError> {
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
fn keyword<V: Copy>(scanner: &mut Scanner<Stream<'_>>, what: &str, words: &[(&str, V)]) -> Result<V, ReadError> {
    scanner.expect(&format!("the {what}"))?;
    let found = words
        .iter()
        .find(|(word, _)| scanner.word().eq_ignore_ascii_case(word.as_bytes()));
    found.map(|&(_, meaning)| meaning).ok_or_else(|| {
        let known: Vec<&str> = words.iter().map(|&(word, _)| word).collect();
        scanner.fault(ReadErrorKind::Banner, what, format!("one of {}", known.join(", ")))
    })
}

fn unsupported(scanner: &Scanner<Stream<'_>>, what: &str, expected: &str) -> ReadError {
    scanner.fault(ReadErrorKind::Unsupported, what, expected)
}

/// Reads a `coordinate` file from its size line on.
fn coordinate<T: InFile<Number: ReadScalar>>(
    scanner: &mut Scanner<Stream<'_>>,
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

    let line = CoordinateLine {
        shape: [rows, columns],
        banner,
        elements: PhantomData,
    };
    let mut entries = Entries::with_capacity(count.min(TRUSTED_COUNT));
    let done = read_lines(scanner, &line, count as u128, |part| entries.append(part))?;
    if done < count as u128 {
        return Err(scanner.too_few(done, count));
    }
    Ok(entries.in_shape([rows, columns]))
}

/// A line with the indices of an entry and its value.
struct CoordinateLine<'a, T> {
    shape: [usize; 2],
    banner: &'a Banner,
    elements: PhantomData<fn() -> T>,
}

impl<T: InFile<Number: ReadScalar>> CoordinateLine<'_, T> {
    /// Adds an entry, and its mirror image if there is one.
    #[inline]
    fn push(&self, entries: &mut Entries<T, 2>, [row, column]: [usize; 2], [value, mirrored]: [T; 2]) {
        entries.push([row, column], value);
        if self.is_mirrored([row, column]) {
            entries.push([column, row], mirrored);
        }
    }

    #[inline]
    fn is_mirrored(&self, [row, column]: [usize; 2]) -> bool {
        self.banner.symmetry != Symmetry::General && row != column
    }
}

impl<T: InFile<Number: ReadScalar>> Line for CoordinateLine<'_, T> {
    type Part = Entries<T, 2>;

    fn part(&self, bytes: usize) -> Entries<T, 2> {
        Entries::with_capacity(bytes / BYTES_PER_ENTRY)
    }

    #[inline]
    fn read_plain(&self, words: &mut PlainWords<'_>, entries: &mut Entries<T, 2>) -> Option<()> {
        let [rows, columns] = self.shape;
        let row = words.index(&(1..=rows))? - 1;
        let column = match self.banner.is_vector {
            true => 0,
            false => words.index(&(1..=columns))? - 1,
        };
        let mut values = [T::UNIT; 2];
        if self.banner.field != Field::Pattern {
            let number = plain_number::<T>(words, self.banner.field)?;
            let mirrored = match self.is_mirrored([row, column]) {
                true => self.banner.symmetry.mirror_image(number)?,
                false => number,
            };
            values = [number, mirrored].map(T::of_number);
        }
        words.at_line_end().then(|| self.push(entries, [row, column], values))
    }

    fn read<S: Text>(&self, scanner: &mut Scanner<S>, entries: &mut Entries<T, 2>) -> Result<(), ReadError> {
        let [rows, columns] = self.shape;
        let row = scanner.expect_index("the row index", "row index", 1..=rows)? - 1;
        let column = match self.banner.is_vector {
            true => 0,
            false => scanner.expect_index("the column index", "column index", 1..=columns)? - 1,
        };
        let mut values = [T::UNIT; 2];
        if self.banner.field != Field::Pattern {
            let number = number::<T, S>(scanner, self.banner.field)?;
            let mirrored = match self.is_mirrored([row, column]) {
                true => mirror_image::<T, S>(scanner, self.banner.symmetry, number)?,
                false => number,
            };
            values = [number, mirrored].map(T::of_number);
        }
        scanner.expect_line_end()?;
        self.push(entries, [row, column], values);
        Ok(())
    }
}

/// Reads an `array` file from its size line on: values column by column; with symmetry only the values on or below the
/// diagonal, if skew only those below.
fn array<T: InFile<Number: ReadScalar>>(
    scanner: &mut Scanner<Stream<'_>>,
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
    let line = ArrayLine::<T> {
        field: banner.field,
        symmetry: banner.symmetry,
        elements: PhantomData,
    };
    let first_row = |column| match banner.symmetry {
        Symmetry::General => 0,
        Symmetry::Symmetric | Symmetry::Hermitian => column,
        Symmetry::Skew => column + 1,
    };
    let mut entries = Entries::with_capacity(0);
    let (mut row, mut column) = (first_row(0), 0);
    let done = read_lines(scanner, &line, count, |values| {
        for [value, mirrored] in values {
            if !value.is_zero() {
                entries.push([row, column], T::of_number(value));
                if banner.symmetry != Symmetry::General && row != column {
                    entries.push([column, row], T::of_number(mirrored));
                }
            }
            row += 1;
            if row == rows {
                column += 1;
                row = first_row(column);
            }
        }
    })?;
    if done < count {
        return Err(scanner.too_few(done, count));
    }
    Ok(entries.in_shape([rows, columns]))
}

/// A line with a value.
struct ArrayLine<T> {
    field: Field,
    symmetry: Symmetry,
    elements: PhantomData<fn() -> T>,
}

impl<T: InFile<Number: ReadScalar>> Line for ArrayLine<T> {
    /// Values and their mirror images.
    type Part = Vec<[T::Number; 2]>;

    fn part(&self, bytes: usize) -> Self::Part {
        Vec::with_capacity(bytes / BYTES_PER_ENTRY)
    }

    #[inline]
    fn read_plain(&self, words: &mut PlainWords<'_>, values: &mut Self::Part) -> Option<()> {
        let value = plain_number::<T>(words, self.field)?;
        let mirrored = match value.is_zero() {
            true => value,
            false => self.symmetry.mirror_image(value)?,
        };
        words.at_line_end().then(|| values.push([value, mirrored]))
    }

    fn read<S: Text>(&self, scanner: &mut Scanner<S>, values: &mut Self::Part) -> Result<(), ReadError> {
        let value = number::<T, S>(scanner, self.field)?;
        let mirrored = match value.is_zero() {
            true => value,
            false => mirror_image::<T, S>(scanner, self.symmetry, value)?,
        };
        scanner.expect_line_end()?;
        values.push([value, mirrored]);
        Ok(())
    }
}

/// Reads the next number, real or complex.
fn number<T: InFile<Number: ReadScalar>, S: Text>(
    scanner: &mut Scanner<S>,
    field: Field,
) -> Result<T::Number, ReadError> {
    let real = scanner.expect_number::<T>("the value")?;
    if field != Field::Complex {
        return Ok(real);
    }
    scanner.expect("the imaginary part")?;
    real.with_imaginary(scanner.word())
        .map_err(|kind| scanner.fault(kind, "imaginary part", T::Number::EXPECTED))
}

/// Reads the next number, real or complex, if there is a fast way.
#[inline]
fn plain_number<T: InFile<Number: ReadScalar>>(words: &mut PlainWords<'_>, field: Field) -> Option<T::Number> {
    let real = words.number::<T>()?;
    match field {
        Field::Complex => real.with_imaginary(words.word()?).ok(),
        Field::Real | Field::Pattern => Some(real),
    }
}

/// Returns the mirror image of a number whose last word is the current one.
fn mirror_image<T: InFile<Number: ReadScalar>, S: Text>(
    scanner: &Scanner<S>,
    symmetry: Symmetry,
    number: T::Number,
) -> Result<T::Number, ReadError> {
    symmetry.mirror_image(number).ok_or_else(|| {
        let expected = format!("{} when negated, for its mirror image", T::Number::EXPECTED);
        scanner.fault(ReadErrorKind::Range, "value", expected)
    })
}

impl Symmetry {
    /// Returns the mirror image of a number; `None` if its type cannot hold that.
    #[inline]
    fn mirror_image<N: ReadScalar>(self, number: N) -> Option<N> {
        match self {
            Symmetry::General | Symmetry::Symmetric => Some(number),
            Symmetry::Hermitian => Some(number.conjugated()),
            Symmetry::Skew => number.negated(),
        }
    }
}
