//! Every way in which a Matrix Market file can be wrong, and where.

use super::*;

#[test]
#[rustfmt::skip]
fn matrix_market_errors() {
    let case = |text: &str, kind, at, message: &str| refused(mtx::<f64>(text), kind, at, message);
    case("", Banner, [1, 1], "found an empty file, expected %%MatrixMarket");
    case("3 3 1\n1 1 1\n", Banner, [1, 1], "found 3, expected %%MatrixMarket");
    case("%%Matrix Market matrix", Banner, [1, 1], "found %%Matrix, expected %%MatrixMarket");
    case("%%MatrixMarket tensor", Banner, [1, 16], "found object tensor, expected one of matrix, vector");
    case("%%MatrixMarket matrix dense", Banner, [1, 23], "found layout dense, expected one of coordinate, array");
    case("%%MatrixMarket matrix array quad", Banner, [1, 29],
        "found field quad, expected one of real, double, integer, unsigned-integer, complex, pattern");
    case("%%MatrixMarket matrix array real odd", Banner, [1, 34],
        "found symmetry odd, expected one of general, symmetric, skew-symmetric, hermitian");
    case("%%MatrixMarket matrix array real  \n1 1\n1", Missing, [1, 33], "found the end of the line, expected the symmetry");
    case("%%MatrixMarket matrix array real general x", Trailing, [1, 42], "found x, expected the end of the line");

    case("%%MatrixMarket matrix array pattern general", Unsupported, [1, 29],
        "found field pattern, expected a field with values for an array");
    case("%%MatrixMarket matrix coordinate pattern hermitian", Unsupported, [1, 42],
        "found symmetry hermitian, expected general or symmetric for a pattern");
    case("%%MatrixMarket vector coordinate real symmetric", Unsupported, [1, 39],
        "found symmetry symmetric, expected general for a vector");
    case("%%MatrixMarket matrix array complex general", Unsupported, [1, 29],
        "found field complex, expected a field that fits elements of type f64");

    let real = "%%MatrixMarket matrix coordinate real general\n";
    let sized = |lines: &str| format!("{real}{lines}");
    case(real, Size, [2, 1], "found the end of the file, expected the size line");
    case(&sized("%\n%"), Size, [3, 1], "found the end of the file, expected the size line");
    case(&sized("3 3\n"), Missing, [2, 4], "found the end of the line, expected the entry count");
    case(&sized("3 \r\n"), Missing, [2, 2], "found the end of the line, expected the column count");
    case(&sized("3 3 1 1"), Trailing, [2, 7], "found 1, expected the end of the line");
    case(&sized("-3 3 1"), Size, [2, 1], "found row count -3, expected one that is not negative");
    case(&sized("3 18446744073709551616 1"), Size, [2, 3],
        "found column count 18446744073709551616, expected one of at most 64 bits");
    case(&sized("3 3 1.0"), Number, [2, 5], "found entry count 1.0, expected a whole number");
    case(&sized("3 0 1"), Size, [2, 5], "found entry count 1, expected 0 in an empty matrix");
    case("%%MatrixMarket matrix coordinate real symmetric\n3 4 1", Size, [2, 3],
        "found column count 4, expected 3, as there are rows, for the symmetry in the banner");
    case("%%MatrixMarket vector array real general\n3 1\n", Trailing, [2, 3], "found 1, expected the end of the line");
    case("%%MatrixMarket matrix array real general\n67 1 67\n", Trailing, [2, 6], "found 67, expected the end of the line");

    let body = |lines: &str| body("real", "general", 2, lines);
    case(&body("0 1 1"), Index, [3, 1], "found row index 0, expected one from 1 to 3");
    case(&body("1 1 1\n\n3  4 1"), Index, [5, 4], "found column index 4, expected one from 1 to 3");
    case(&body("1 -1 1"), Index, [3, 3], "found column index -1, expected one from 1 to 3");
    case(&body("1 99999999999999999999 1"), Index, [3, 3],
        "found column index 99999999999999999999, expected one from 1 to 3");
    case(&body("1 one 1"), Number, [3, 3], "found column index one, expected one from 1 to 3");
    case(&body("1 2.0 1"), Number, [3, 3], "found column index 2.0, expected one from 1 to 3");
    case(&body("1"), Missing, [3, 2], "found the end of the line, expected the column index");
    case(&body("1 2\n1 1 1"), Missing, [3, 4], "found the end of the line, expected the value");
    case(&body("1 2 x\t\u{7f}"), Number, [3, 5], "found value x, expected a number that fits f64");
    case(&body("1 2 1\u{7f}"), Number, [3, 5], "found value 1\\u{7f}, expected a number that fits f64");
    case(&body("1 2 -1E310"), Range, [3, 5], "found value -1E310, expected a number that fits f64");
    case(&body("1 2 3 % no"), Trailing, [3, 7], "found %, expected the end of the line");
    case(&body("1 2 3\n% two\n"), TooFew, [5, 1], "found the end of the file, expected entry 2 of 2");
    case(&body("1 2 3"), TooFew, [3, 6], "found the end of the file, expected entry 2 of 2");
    case(&body("1 1 1\n2 2 2\n\n 3 3 3\n"), TooMany, [6, 2], "found 3, expected the end of the file after the last entry");

    let array = "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n";
    case(array, TooFew, [5, 1], "found the end of the file, expected entry 3 of 3");
    case(&format!("{array}3 4\n"), Trailing, [5, 3], "found 4, expected the end of the line");
    case(&format!("{array}3\n4\n"), TooMany, [6, 1], "found 4, expected the end of the file after the last entry");
    // A header can promise anything, only what comes is stored.
    case(&sized("1099511627776 1099511627776 1099511627776\n1099511627776 1 1\n"), TooFew, [4, 1],
        "found the end of the file, expected entry 2 of 1099511627776");
    case("%%MatrixMarket matrix array real general\n18446744073709551615 18446744073709551615\n1\n", TooFew, [4, 1],
        "found the end of the file, expected entry 2 of 340282366920938463426481119284349108225");
}

#[test]
fn element_type_errors() {
    let text = body("integer", "general", 2, "1 1 7\n2 2  128\n");
    let message = "found value 128, expected a whole number that fits i8";
    refused(mtx::<i8>(&text), Range, [4, 6], message);
    reads(&text, [3, 3], &[(0, 0, 7_u8), (1, 1, 128)]);
    let text = body("real", "general", 1, "1 1 2.5");
    refused(
        mtx::<i32>(&text),
        Range,
        [3, 5],
        "found value 2.5, expected a whole number that fits i32",
    );
    refused(mtx::<bool>(&text), Range, [3, 5], "found value 2.5, expected 0 or 1");
    let text = body("complex", "general", 1, "1 1 2.5 1..5");
    refused(
        mtx::<Complex64>(&text),
        Number,
        [3, 9],
        "found imaginary part 1..5, expected a number that fits f64",
    );
    let text = body("complex", "general", 1, "1 1 2.5");
    refused(
        mtx::<Complex64>(&text),
        Missing,
        [3, 8],
        "found the end of the line, expected the imaginary part",
    );
    // The mirror image of a skew-symmetric entry must fit as well.
    let negated = |value, fits| format!("found value {value}, expected {fits} when negated, for its mirror image");
    let skew = |lines| body("integer", "skew-symmetric", 1, lines);
    let message = negated("5", "a whole number that fits u16");
    refused(mtx::<u16>(&skew("2 1 5")), Range, [3, 5], &message);
    let message = negated("-128", "a whole number that fits i8");
    refused(mtx::<i8>(&skew("2 1 -128")), Range, [3, 5], &message);
    reads(&skew("2 1 0"), [3, 3], &[(1, 0, 0_u16), (0, 1, 0)]);
    refused(mtx::<bool>(&skew("2 1 1")), Range, [3, 5], &negated("1", "0 or 1"));
}
