//! Every file that `SOURCES.csv` of the shared data lists.

use super::files_beside::shared;
use super::*;
use std::fs::read_to_string;

/// The folder of the shared data, if there is one.
fn shared_data() -> Option<PathBuf> {
    Some(shared("data/SOURCES.csv")?.parent()?.to_path_buf())
}

/// A row of `SOURCES.csv`.
struct Row {
    name: String,
    expect: String,
    file: PathBuf,
    rows: String,
    cols: String,
    nnz_expanded: String,
    field: String,
}

fn rows(folder: &Path) -> Vec<Row> {
    let table = read_to_string(folder.join("SOURCES.csv")).unwrap();
    let mut lines = table.lines().map(csv_fields);
    let first = lines.next().unwrap();
    let row = |fields: Vec<String>| {
        let field = |name| fields[first.iter().position(|column| column == name).unwrap()].clone();
        Row {
            name: field("name"),
            expect: field("expect"),
            file: folder.join(field("file")),
            rows: field("rows"),
            cols: field("cols"),
            nnz_expanded: field("nnz_expanded"),
            field: field("field"),
        }
    };
    lines.map(row).collect()
}

/// The fields of a line, which may be quoted.
fn csv_fields(line: &str) -> Vec<String> {
    let (mut fields, mut is_quoted) = (vec![String::new()], false);
    for char in line.chars() {
        match char {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            _ => fields.last_mut().unwrap().push(char),
        }
    }
    fields
}

/// The shape and the number of entries, or the kind of the error and its line and column.
type Outcome = Result<(Vec<usize>, usize), (ReadErrorKind, usize, usize)>;

fn outcome<T: Scalar, const N: usize>(result: Result<Triplets<T, N>, ReadError>) -> Outcome {
    result
        .map(|tensor| (tensor.shape().to_vec(), tensor.len()))
        .map_err(|error| (error.kind(), error.line(), error.column()))
}

/// Reads a file into `f64`, or complex numbers if it holds them, with as many dims as given.
fn read(file: &Path, dims: usize) -> Outcome {
    let name = file.file_name().unwrap().to_str().unwrap();
    if name.contains(".smtx") {
        return outcome(read_smtx::<f64>(file));
    }
    if name.contains(".mtx") {
        return match outcome(read_matrix_market::<f64>(file)) {
            // A complex file is refused at its field, and nowhere else.
            Err((Unsupported, 1, 25..=35)) => outcome(read_matrix_market::<Complex64>(file)),
            outcome => outcome,
        };
    }
    match dims {
        3 => outcome(read_tns::<f64, 3>(file)),
        4 => outcome(read_tns::<f64, 4>(file)),
        5 => outcome(read_tns::<f64, 5>(file)),
        7 => outcome(read_tns::<f64, 7>(file)),
        8 => outcome(read_tns::<f64, 8>(file)),
        _ => panic!("{name}: {dims} dims"),
    }
}

/// The outcomes that the table leaves open: the choices of these readers, and the positions of their errors.
fn own_choice(name: &str) -> Option<(usize, Outcome)> {
    let accept = |shape: &[usize], len| Some((shape.len(), Ok((shape.to_vec(), len))));
    let refuse = |kind, line, column| Some((2, Err((kind, line, column))));
    match name {
        "fmm-invalid_bad_banner_2" | "lagraph-full_noheader" => refuse(Banner, 1, 1),
        "fmm-invalid_bad_object" | "lagraph-mangled1" | "suitesparse-mangle1" => refuse(Banner, 1, 16),
        "fmm-invalid_bad_format" | "lagraph-mangled2" | "suitesparse-mangle2" => refuse(Banner, 1, 23),
        "fmm-invalid_bad_field" | "lagraph-mangled3" => refuse(Banner, 1, 34),
        "lagraph-mangled4" | "suitesparse-mangle4" => refuse(Banner, 1, 39),
        "suitesparse-bad_header" => refuse(Banner, 1, 42),
        "fmm-invalid_truncated_header_2" => refuse(Missing, 1, 33),
        "fmm-overflow_dim_gt_int64" | "fmm-invalid_vector_negative_length" => refuse(Size, 2, 1),
        "fmm-overflow_index_gt_int64" => refuse(Index, 6, 1),
        "fmm-invalid_indices_out_of_range_1" | "fmm-invalid_indices_out_of_range_3" => refuse(Index, 5, 1),
        "fmm-invalid_indices_out_of_range_2" | "fmm-invalid_indices_out_of_range_4" => refuse(Index, 6, 3),
        "fmm-invalid_indices_out_of_range_5" => refuse(Index, 5, 1),
        "fmm-invalid_vector_index_out_of_range_1" => refuse(Index, 4, 1),
        "fmm-invalid_vector_index_out_of_range_2" => refuse(Index, 4, 1),
        "fmm-invalid_bad_value" => refuse(Number, 3, 5),
        "fmm-invalid_bad_value_2" => refuse(Number, 5, 1),
        "fmm-invalid_bad_value_3" => refuse(Number, 4, 3),
        "fmm-invalid_bad_value_4" => refuse(Number, 4, 1),
        "lagraph-mangled11" => refuse(Number, 5, 3),
        "fmm-invalid_missing_value_1" => refuse(Missing, 4, 2),
        "fmm-invalid_missing_value_2" => refuse(Missing, 3, 4),
        "fmm-invalid_truncated_line_1" => refuse(Missing, 5, 4),
        "fmm-invalid_truncated_line_2" => refuse(Missing, 5, 2),
        "lagraph-mangled7" | "lagraph-mangled12" => refuse(Missing, 5, 4),
        "lagraph-mangled10" => refuse(TooFew, 7, 1),
        "fmm-invalid_matrix_coord_too_long" | "fmm-invalid_vector_array_too_long" => refuse(TooMany, 7, 1),
        "fmm-invalid_vector_coord_too_long" | "fmm-invalid_symmetry_matrix_array" => refuse(TooMany, 6, 1),

        // Accepted, but the table does not say as what.
        "fmm-overflow_index_gt_int8" => accept(&[1000, 1000], 1),
        "fmmpy-dim_over_32_bit" => accept(&[1 << 40, 1 << 40], 3),

        "fmm-overflow_value_gt_complex128" => refuse(Range, 4, 7),
        "fmmpy-longcomplex_array" => refuse(Range, 4, 1),
        "fmmpy-longcomplex_coordinate" | "fmmpy-longdouble_coordinate" => refuse(Range, 4, 5),
        // What the comments call the range of the type does not matter, that of the element does.
        "fmm-overflow_value_gt_int32" => accept(&[3, 3], 1),
        "lagraph-mangled_int8" | "lagraph-mangled_uint8" => accept(&[7, 7], 12),
        "lagraph-mangled_int32" | "lagraph-mangled_uint32" => accept(&[7, 7], 12),
        "lagraph-matrix_fp32" | "lagraph-matrix_fp64" | "lagraph-matrix_uint64" => accept(&[7, 7], 12),
        "lagraph-mangled_skew" => accept(&[6, 6], 20),
        // Duplicates stay two triplets.
        "lagraph-mangled14" => accept(&[3, 4], 3),
        "lagraph-pp_bad" => accept(&[8, 8], 31),
        // One entry takes one line, with just the numbers that the banner says.
        "lagraph-mangled15" => refuse(Trailing, 5, 6),
        "lagraph-mangled6" | "sprs-too_many_elems_in_entry" => refuse(Trailing, 5, 7),
        "lagraph-west0067_cluster" => refuse(Trailing, 3, 6),
        // The negative of a pattern is not defined, nor its conjugate.
        "lagraph-mangled5" => refuse(Unsupported, 1, 42),
        // Vectors are matrices of one column.
        "fmm-vector_coordinate_complex_dupes" | "fmm-vector_coordinate_dupes" => accept(&[4, 1], 4),
        "fmmpy-vector_coordinate_real_general" => accept(&[4, 1], 3),
        // Blank and comment lines may stand between entries, one `%` makes a banner.
        "fmm-permissive_banner_one_percent_eye3" => accept(&[3, 3], 3),
        "lagraph-west0067_jumbled" => accept(&[67, 67], 294),
        "suitesparse-fullcha" | "suitesparse-fullcsa" => accept(&[2, 2], 4),
        // Wrong in every reading of the format.
        "suitesparse-fullcrud" => refuse(TooFew, 7, 1),
        "suitesparse-fullcrud2" => refuse(Number, 3, 1),
        "taco-x_issue46" | "taco-y_expected46" => refuse(Banner, 1, 1),
        // Indices count from 1.
        "suitesparse-az88" => refuse(Index, 11, 1),
        "suitesparse-c32" => refuse(Index, 10, 1),
        "suitesparse-row0" => refuse(Index, 12, 1),
        "splatt-small4_zeroidx" => Some((4, Err((Index, 2, 7)))),

        "splatt-small" => accept(&[2, 3, 2], 6),
        "splatt-small4" => accept(&[2, 2, 3, 3], 8),
        "taco-3tensor" => accept(&[1073, 1, 7], 3),
        "parti-7d_3_21" => accept(&[3; 7], 21),
        "sparten-zero_based" | "sparten-one_based" => accept(&[5, 4, 3], 18),
        "sparten-zero_slice" => accept(&[5, 4, 3], 14),
        // A header of extents alone cannot be distinguished from an entry.
        "comet-rank8" => Some((8, Err((Arity, 1, 17)))),

        // The table counts entities that no entry has for its third coordinate.
        "kg-FB15k-237" => accept(&[14541, 237, 14528], 310116),
        "kg-WN18RR" => accept(&[40943, 11, 40902], 93003),
        _ => None,
    }
}

/// Returns the shape and the number of elements in the table, which does not have the nonzero values of an array.
fn expected_by_the_table(row: &Row) -> (Vec<usize>, Option<usize>) {
    let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{}: {text}", row.name));
    let shape = match row.field.as_str() {
        "tensor" => row.rows.split('x').map(number).collect(),
        _ => vec![number(&row.rows), number(&row.cols)],
    };
    let is_array = row.field.ends_with("(array)");
    (shape, (!is_array).then(|| number(&row.nnz_expanded)))
}

/// Files of numbers up to 1E310, which the table accepts for a `long double`.
const BEYOND_DOUBLE: [&str; 3] = [
    "fmmpy-longcomplex_array",
    "fmmpy-longcomplex_coordinate",
    "fmmpy-longdouble_coordinate",
];

#[test]
fn every_file_of_the_shared_data() {
    let Some(folder) = shared_data() else {
        return;
    };
    let (mut accepted, mut refused, mut choices) = (0, 0, 0);
    for row in rows(&folder) {
        let is_choice = row.expect.starts_with("reader's choice");
        choices += usize::from(is_choice);
        if let Some((dims, outcome)) = own_choice(&row.name) {
            assert_eq!(read(&row.file, dims), outcome, "{}", row.name);
            let agrees =
                is_choice || BEYOND_DOUBLE.contains(&&*row.name) || outcome.is_ok() == row.expect.starts_with("accept");
            assert!(agrees, "{}: the table expects {}", row.name, row.expect);
            if outcome.is_ok() {
                accepted += 1;
            } else {
                refused += 1;
            }
            continue;
        }
        assert!(row.expect.starts_with("accept"), "{}: no choice made here", row.name);
        let (shape, count) = expected_by_the_table(&row);
        let (read_shape, read_count) =
            read(&row.file, shape.len()).unwrap_or_else(|error| panic!("{}: refused: {error:?}", row.name));
        assert_eq!(read_shape, shape, "{}", row.name);
        let most = shape.iter().map(|&extent| extent as f64).product::<f64>();
        assert!(read_count as f64 <= most || count.is_some(), "{}", row.name);
        assert_eq!(read_count, count.unwrap_or(read_count), "{}", row.name);
        accepted += 1;
    }
    let _ = writeln!(
        std::io::stderr(),
        "SOURCES.csv: {accepted} files accepted, {refused} refused; {choices} of both by choice"
    );
}

#[test]
fn element_types_of_the_shared_data() {
    let Some(folder) = shared_data() else {
        return;
    };
    let file = |name: &str| folder.join(name);
    let range = |line, column| Err((Range, line, column));
    assert_eq!(
        outcome(read_matrix_market::<i8>(file("malformed/lagraph-mangled_int8.mtx"))),
        range(8, 5)
    );
    assert_eq!(
        outcome(read_matrix_market::<u8>(file("malformed/lagraph-mangled_uint8.mtx"))),
        range(9, 5)
    );
    assert_eq!(
        outcome(read_matrix_market::<i32>(file("malformed/lagraph-mangled_int32.mtx"))),
        range(8, 5)
    );
    assert_eq!(
        outcome(read_matrix_market::<u32>(file("malformed/lagraph-mangled_uint32.mtx"))),
        range(9, 5)
    );
    assert_eq!(
        outcome(read_matrix_market::<u8>(file("malformed/lagraph-mangled_skew.mtx"))),
        range(4, 5)
    );
    assert_eq!(
        outcome(read_matrix_market::<i32>(file(
            "malformed/fmm-overflow_value_gt_int32.mtx"
        ))),
        range(4, 5)
    );
    assert_eq!(
        outcome(read_matrix_market::<i64>(file("nonstandard/lagraph-matrix_fp64.mtx"))),
        range(7, 5)
    );
    assert_eq!(
        outcome(read_matrix_market::<i64>(file("nonstandard/lagraph-matrix_uint64.mtx"))),
        range(8, 5)
    );
    let unsigned: Triplets<u64, 2> = read_matrix_market(file("nonstandard/lagraph-matrix_uint64.mtx")).unwrap();
    assert_eq!(unsigned.values().iter().max(), Some(&u64::MAX));
    // An integer file with 1.0, 2.0, ...
    let whole: Triplets<u8, 2> = read_matrix_market(file("variants/unisparse-test.mtx")).unwrap();
    assert_eq!(whole.values(), [1, 2, 3, 4, 5, 6, 7]);
}
