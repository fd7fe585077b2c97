//! Random texts, valid and not, read in pieces of a few bytes on several threads, against a reader of lines that does one
//! thing after the other.

use super::scanner::Scanner;
use super::{ReadError, ReadErrorKind as Kind, ReadScalar, matrix_market, smtx, tns, write_matrix_market_to};
use crate::triplets::Triplets;
use proptest::prelude::*;
use std::io::{self, Cursor, Read};

/// What is read: the shape, and the entries in order with the bits of their values, or the kind, the line and the column of the error.
type Outcome<const N: usize> = Result<([usize; N], Vec<([usize; N], u64)>), Fault>;
type Fault = (Kind, usize, usize);

fn outcome<T: ReadScalar + Into<f64>, const N: usize>(read: Result<Triplets<T, N>, ReadError>) -> Outcome<N> {
    read.map(|read| {
        (
            read.shape(),
            read.iter().map(|(at, value)| (at, value.into().to_bits())).collect(),
        )
    })
    .map_err(|error| (error.kind(), error.line(), error.column()))
}

/// A reader that gives at most `most` bytes at a time, and fails at the end if `fails`.
struct Slow<'a> {
    text: &'a [u8],
    most: usize,
    fails: bool,
}

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.text.is_empty() && self.fails {
            return Err(io::Error::other("it fails"));
        }
        let length = buffer.len().min(self.most);
        self.text.read(&mut buffer[..length])
    }
}

/// Checks that every way to read a text, which fails at its end if `fails`, has this outcome.
fn same_in_pieces<const N: usize>(
    text: &[u8],
    fails: bool,
    expected: &Outcome<N>,
    parse: impl Fn(usize, Slow<'_>) -> Outcome<N> + Sync,
) -> Result<(), TestCaseError> {
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for (piece_bytes, most) in [
            (1, 1),
            (5, usize::MAX),
            (16, 7),
            (64, usize::MAX),
            (1 << 16, usize::MAX),
        ] {
            let slow = || Slow { text, most, fails };
            // On a thread of the pool, and on one that is not.
            let outcomes = [pool.install(|| parse(piece_bytes, slow())), parse(piece_bytes, slow())];
            for outcome in outcomes {
                prop_assert_eq!(
                    &outcome,
                    expected,
                    "{:?} in pieces of {} on {}",
                    text,
                    piece_bytes,
                    threads
                );
            }
        }
    }
    Ok(())
}

/// A line: its number, and its words with their columns.
type Line<'a> = (usize, Vec<(usize, &'a str)>);

/// Returns the lines that are neither blank nor comments, and the position of the end of the file.
fn lines(text: &str, comment: char, separator: char) -> (Vec<Line<'_>>, (usize, usize)) {
    let is_blank = |char: char| " \t\r\x0b\x0c".contains(char) || char == separator;
    let (mut lines, mut end) = (Vec::new(), (1, 1));
    for (number, line) in (1..).zip(text.split('\n')) {
        let mut words = Vec::new();
        let mut from = 0;
        while let Some(start) = line[from..].find(|char| !is_blank(char)).map(|at| from + at) {
            from = line[start..].find(is_blank).map_or(line.len(), |at| start + at);
            words.push((start + 1, &line[start..from]));
        }
        end = (number, 1);
        if words.first().is_some_and(|(_, word)| !word.starts_with(comment)) {
            end = end_of(&(number, words.clone()));
            lines.push((number, words));
        }
    }
    (lines, end)
}

fn end_of((number, words): &Line<'_>) -> (usize, usize) {
    (*number, words.last().map_or(1, |(column, word)| column + word.len()))
}

fn fault(kind: Kind, (line, column): (usize, usize)) -> Fault {
    (kind, line, column)
}

/// Returns the `at`th word of a line, with its position.
fn word<'a>(line: &Line<'a>, at: usize) -> Result<((usize, usize), &'a str), Fault> {
    let word = line.1.get(at).map(|&(column, word)| ((line.0, column), word));
    word.ok_or_else(|| fault(Kind::Missing, end_of(line)))
}

fn index(line: &Line<'_>, at: usize, range: std::ops::RangeInclusive<usize>) -> Result<usize, Fault> {
    let (place, word) = word(line, at)?;
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    if digits.is_empty() || digits.contains(|char: char| !char.is_ascii_digit()) {
        return Err(fault(Kind::Number, place));
    }
    let index = word.parse().ok().filter(|index| range.contains(index));
    index.ok_or(fault(Kind::Index, place))
}

fn value(line: &Line<'_>, at: usize) -> Result<f64, Fault> {
    let (place, word) = word(line, at)?;
    let number = word.parse().or_else(|_| word.replace(['d', 'D'], "e").parse::<f64>());
    match number {
        Err(_) => Err(fault(Kind::Number, place)),
        Ok(number) if number.is_infinite() && word.contains(|char: char| char.is_ascii_digit()) => {
            Err(fault(Kind::Range, place))
        }
        Ok(number) => Ok(number),
    }
}

fn line_ends(line: &Line<'_>, words: usize) -> Result<(), Fault> {
    match word(line, words) {
        Ok((place, _)) => Err(fault(Kind::Trailing, place)),
        Err(_) => Ok(()),
    }
}

/// Reads a file whose banner and size line are valid.
fn reference_coordinate(text: &str, is_symmetric: bool) -> Outcome<2> {
    let (lines, end) = lines(text, '%', ' ');
    let [rows, columns, count] = [0, 1, 2].map(|at| lines[0].1[at].1.parse::<usize>().unwrap());
    let mut entries = Vec::new();
    for (done, line) in lines[1..].iter().enumerate() {
        if done == count {
            return Err(fault(Kind::TooMany, word(line, 0)?.0));
        }
        let (row, column) = (index(line, 0, 1..=rows)? - 1, index(line, 1, 1..=columns)? - 1);
        let value = value(line, 2)?;
        line_ends(line, 3)?;
        entries.push(([row, column], value.to_bits()));
        if is_symmetric && row != column {
            entries.push(([column, row], value.to_bits()));
        }
    }
    match lines.len() - 1 < count {
        true => Err(fault(Kind::TooFew, end)),
        false => Ok(([rows, columns], entries)),
    }
}

/// Reads a file whose banner and size line are valid.
fn reference_array(text: &str) -> Outcome<2> {
    let (lines, end) = lines(text, '%', ' ');
    let [rows, columns] = [0, 1].map(|at| lines[0].1[at].1.parse::<usize>().unwrap());
    let mut entries = Vec::new();
    for (done, line) in lines[1..].iter().enumerate() {
        if done == rows * columns {
            return Err(fault(Kind::TooMany, word(line, 0)?.0));
        }
        let value = value(line, 0)?;
        line_ends(line, 1)?;
        if value != 0.0 {
            entries.push(([done % rows, done / rows], value.to_bits()));
        }
    }
    match lines.len() - 1 < rows * columns {
        true => Err(fault(Kind::TooFew, end)),
        false => Ok(([rows, columns], entries)),
    }
}

/// Reads a file without a header.
fn reference_tns(text: &str) -> Outcome<2> {
    let (lines, end) = lines(text, '#', ' ');
    let mut entries = Vec::new();
    let mut shape = [0; 2];
    for line in &lines {
        if line.1.len() != 3 {
            let surplus = line.1.get(3).map(|&(column, _)| (line.0, column));
            return Err(fault(Kind::Arity, surplus.unwrap_or(end_of(line))));
        }
        let at = [index(line, 0, 1..=usize::MAX)? - 1, index(line, 1, 1..=usize::MAX)? - 1];
        entries.push((at, value(line, 2)?.to_bits()));
        shape = [0, 1].map(|dim| shape[dim].max(at[dim] + 1));
    }
    match lines.is_empty() {
        true => Err(fault(Kind::TooFew, end)),
        false => Ok((shape, entries)),
    }
}

/// Reads a file whose size line is valid.
fn reference_smtx(text: &str) -> Outcome<2> {
    let (lines, end) = lines(text, '%', ',');
    let [rows, columns, count] = [0, 1, 2].map(|at| lines[0].1[at].1.parse::<usize>().unwrap());
    let too_few = || fault(Kind::TooFew, end);
    let offsets = lines.get(1).ok_or_else(too_few)?;
    let mut ends = vec![index(offsets, 0, 0..=0)?];
    for row in 1..=rows {
        let least = if row == rows { count } else { ends[row - 1] };
        ends.push(index(offsets, row, least..=count)?);
    }
    line_ends(offsets, rows + 1)?;
    let mut entries = Vec::new();
    if count > 0 {
        let line = lines.get(2).ok_or_else(too_few)?;
        for at in 0..count {
            let column = index(line, at, 0..=columns - 1)?;
            entries.push((
                [ends.iter().rposition(|&end| end <= at).unwrap(), column],
                1_f64.to_bits(),
            ));
        }
        line_ends(line, count)?;
    }
    match lines.get(if count > 0 { 3 } else { 2 }) {
        Some(line) => Err(fault(Kind::TooMany, word(line, 0)?.0)),
        None => Ok(([rows, columns], entries)),
    }
}

/// Words that are valid somewhere, or nowhere.
fn any_word() -> impl Strategy<Value = String> {
    let some =
        "[+-]?[0-9]{1,3}|[0-9]{17,24}|-?[0-9]{0,20}[.][0-9]{0,20}([eEdD][+-]?[0-9]{1,3})?|inf|nan|x|1e999|[+-]|é";
    prop_oneof![8 => "[1-9]", 1 => some]
}

/// Lines of about `words` words, with the blank lines, comments and blanks that may stand anywhere.
fn any_lines(words: usize, comment: char) -> impl Strategy<Value = String> {
    let blank = || prop_oneof![6 => Just(" "), 1 => Just("\t "), 1 => Just("   \r")];
    let line = prop::collection::vec((any_word(), blank()), words).prop_map(|words| {
        words
            .into_iter()
            .flat_map(|(word, blank)| [word, blank.to_owned()])
            .collect::<String>()
    });
    let extra = (any_word(), Just(words)).prop_map(|(word, words)| format!("{}{word}", "1 ".repeat(words)));
    let fewer = Just("1 ".repeat(words - 1));
    let skipped = prop_oneof![
        Just(String::new()),
        Just("  ".to_owned()),
        Just(format!(" {comment} 1 2"))
    ];
    let line = prop_oneof![60 => line, 1 => extra, 1 => fewer, 6 => skipped];
    (prop::collection::vec(line, 0..24), any::<bool>())
        .prop_map(|(lines, ends)| lines.join("\n") + if ends { "\n" } else { "" })
}

proptest! {
    #[test]
    fn coordinate_files(body in any_lines(3, '%'), count in 0..16_usize, is_symmetric: bool) {
        let symmetry = if is_symmetric { "symmetric" } else { "general" };
        // Mostly as many entries as there are.
        let count = if count < 4 { count } else { lines(&body, '%', ' ').0.len() };
        let text = format!("%%MatrixMarket matrix coordinate real {symmetry}\n99 99 {count}\n{body}");
        let expected = reference_coordinate(&text, is_symmetric);
        same_in_pieces(text.as_bytes(), false, &expected, |bytes, text| {
            outcome(Scanner::in_pieces_of(bytes, text).and_then(matrix_market::parse::<f64>))
        })?;
    }

    #[test]
    fn array_files(body in any_lines(1, '%'), rows in 1..4_usize) {
        let columns = lines(&body, '%', ' ').0.len() / rows;
        let text = format!("%%MatrixMarket matrix array real general\n{rows} {columns}\n{body}");
        let expected = reference_array(&text);
        same_in_pieces(text.as_bytes(), false, &expected, |bytes, text| {
            outcome(Scanner::in_pieces_of(bytes, text).and_then(matrix_market::parse::<f64>))
        })?;
    }

    #[test]
    fn tns_files(body in any_lines(3, '#')) {
        // A line of one word is a header.
        prop_assume!(lines(&body, '#', ' ').0.first().is_none_or(|line| line.1.len() > 1));
        let expected = reference_tns(&body);
        same_in_pieces(body.as_bytes(), false, &expected, |bytes, text| {
            outcome(Scanner::in_pieces_of(bytes, text).and_then(tns::parse::<f64, 2>))
        })?;
    }

    #[test]
    fn smtx_files(
        lengths in prop::collection::vec(0..6_usize, 0..30),
        fault in prop::option::weighted(0.7, (any::<prop::sample::Index>(), any_word())),
    ) {
        let count: usize = lengths.iter().sum();
        let mut words = vec![0];
        words.extend(lengths.iter().scan(0, |end, length| { *end += length; Some(*end) }));
        let mut words: Vec<String> = words.iter().chain(&vec![7; count]).map(ToString::to_string).collect();
        words[lengths.len()].push('\n');
        if let Some((at, word)) = fault {
            let at = at.index(words.len());
            words[at] = word;
        }
        let text = format!("{}, 10, {count}\n% c\n{}\n", lengths.len(), words.join(" "));
        let expected = reference_smtx(&text);
        same_in_pieces(text.as_bytes(), false, &expected, |bytes, text| {
            outcome(Scanner::in_pieces_of(bytes, text).and_then(smtx::parse::<f64>))
        })?;
    }

    // Where the reader fails does not depend on the pieces, nor on how much comes at a time.
    #[test]
    fn failing_readers(body in any_lines(3, '%'), length in any::<prop::sample::Index>()) {
        let text = format!("%%MatrixMarket matrix coordinate real general\n99 99 30\n{body}");
        let text = &text.as_bytes()[..length.index(text.len())];
        let parse = |bytes, text: Slow<'_>| outcome(Scanner::in_pieces_of(bytes, text).and_then(matrix_market::parse::<f64>));
        let expected = parse(1, Slow { text, most: 1, fails: true });
        prop_assert!(expected.is_err());
        same_in_pieces(text, true, &expected, parse)?;
    }

    // The fast ways to read numbers are exact, and refuse what the slow ones decide.
    #[test]
    fn fronts_of_words(word in any_word(), rest in "[ \n].{0,8}") {
        let text = format!("{word}{rest}");
        if let Some((number, length)) = f64::read_front(text.as_bytes()).filter(|&(_, length)| length == word.len()) {
            prop_assert_eq!(number.to_bits(), word.parse::<f64>().unwrap().to_bits());
            prop_assert!(length > 0 && number.is_finite());
        }
        if let Some((number, _)) = f32::read_front(text.as_bytes()).filter(|&(_, length)| length == word.len()) {
            prop_assert_eq!(number.to_bits(), word.parse::<f32>().unwrap().to_bits());
        }
        if let Some((number, _)) = i8::read_front(text.as_bytes()).filter(|&(_, length)| length == word.len()) {
            prop_assert_eq!(Ok(number), i8::read(word.as_bytes()));
        }
    }
}

#[test]
fn endless_words_are_refused_and_long_lines_read() {
    let read = |text: &mut dyn Read| outcome::<f64, 2>(Scanner::in_pieces_of(1 << 16, text).and_then(tns::parse));
    let blanks = " ".repeat(300_000);
    let long = format!("1 1 1\n#{blanks}\n2{blanks}2{blanks}2{blanks}\n3 3 3\n");
    let entries = [1.0, 2.0, 3.0].map(f64::to_bits);
    let expected = Ok(([3, 3], [0, 1, 2].map(|at| ([at, at], entries[at])).to_vec()));
    assert_eq!(read(&mut long.as_bytes()), expected);
    let mut endless = Cursor::new("1 1 1\n1 ").chain(io::repeat(b'1'));
    assert_eq!(read(&mut endless), Err((Kind::TooLong, 2, 3)));
    let limit = |length: usize| read(&mut format!("1 1 1\n1 1 {}1\n2 2 2\n", "0".repeat(length - 1)).as_bytes());
    assert!(limit((1 << 16) - 1).is_ok());
    assert_eq!(limit(1 << 16), Err((Kind::TooLong, 2, 5)));
}

#[test]
fn texts_are_written_in_order_by_any_number_of_threads() {
    let mut matrix = Triplets::new([1000, 1000]);
    let mut expected = String::from("%%MatrixMarket matrix coordinate real general\n1000 1000 50000\n");
    for entry in 0..50_000_usize {
        let (at, value) = ([entry * 7 % 1000, entry * 11 % 1000], entry as f64 / 7.0);
        matrix.push(at, value).unwrap();
        expected += &format!("{} {} {value:?}\n", at[0] + 1, at[1] + 1);
    }
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut text = Vec::new();
        pool.install(|| write_matrix_market_to(&mut text, &matrix)).unwrap();
        assert!(text == expected.as_bytes(), "{threads} threads");
        // A writer that is full ends it.
        let mut short = vec![0; expected.len() / 2];
        let error = pool
            .install(|| write_matrix_market_to(&mut &mut short[..], &matrix))
            .map_err(|error| error.kind());
        assert_eq!(error, Err(io::ErrorKind::WriteZero));
        assert_eq!(short, expected.as_bytes()[..short.len()]);
    }
}
