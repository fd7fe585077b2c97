//! Comments, docs, messages and names use the words of the field, and none of those below.

use std::fs;
use std::path::{Path, PathBuf};

/// Words to avoid, each with words to write instead. A word of two parts is also one name: `so_many`.
const WORDS: [(&str, &str); 17] = [
    ("alike", "equal, the same, near"),
    ("asked", "requested, required, prefetched"),
    ("asks", "requests, requires"),
    ("heads", "starts, the name of what starts"),
    ("in step", "in a chain, at the same position, zipped"),
    ("leg", "cursor"),
    ("legs", "cursors"),
    ("occupied", "nonempty"),
    ("rising", "ascending, sorted"),
    ("so many", "this number of, the maximum number of"),
    ("steady", "invariant"),
    ("tell", "determine, distinguish"),
    ("telling", "determining, distinguishing"),
    ("tells", "determines, distinguishes, gives"),
    ("together", "joined, combined, in total"),
    ("told", "determined, reported"),
    ("turned", "transposed, reversed"),
];

/// Scripts have none.
const EXTENSIONS: [&str; 10] = ["", "rs", "md", "c", "cl", "cpp", "cu", "h", "py", "toml"];

/// A word of a text in lower case, and the line where it ends.
struct Word {
    text: String,
    line: usize,
    /// Whether only spaces, underscores or the start of a comment line separate it from the word before.
    follows: bool,
}

/// Splits a text into words: `is_nonempty` has two, and so has `NonEmpty`.
fn words(text: &str) -> Vec<Word> {
    let (mut words, mut word) = (Vec::new(), String::new());
    let (mut line, mut follows, mut before) = (1, false, ' ');
    for c in text.chars().chain([' ']) {
        let starts = c.is_ascii_uppercase() && before.is_ascii_lowercase();
        if !word.is_empty() && (starts || !c.is_ascii_alphabetic()) {
            words.push(Word {
                text: std::mem::take(&mut word),
                line,
                follows,
            });
            follows = true;
        }
        match c {
            _ if c.is_ascii_alphabetic() => word.push(c.to_ascii_lowercase()),
            '\n' => line += 1,
            ' ' | '_' | '/' | '!' | '*' | '#' => {}
            _ => follows = false,
        }
        before = c;
    }
    words
}

/// Returns the words of a text that are in the list, each with its line and what to write instead.
fn found(text: &str) -> Vec<(usize, &'static str, &'static str)> {
    let words = words(text);
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let pair = match words.get(at.wrapping_sub(1)) {
            Some(first) if word.follows => format!("{} {}", first.text, word.text),
            _ => String::new(),
        };
        let listed = WORDS
            .iter()
            .filter(|(avoided, _)| *avoided == word.text || *avoided == pair);
        found.extend(listed.map(|&(avoided, instead)| (word.line, avoided, instead)));
    }
    found
}

/// Adds the files of a folder whose text is ours.
fn add_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_dir() {
            if (!name.starts_with('.') || name == ".ci") && name != "target" {
                add_files(&path, files);
            }
        } else if !name.starts_with('.')
            && !name.starts_with("LICENSE")
            && EXTENSIONS.contains(&extension.unwrap_or_default())
        {
            files.push(path);
        }
    }
}

#[test]
fn the_text_uses_the_words_of_the_field() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
    let mut files = Vec::new();
    add_files(root, &mut files);
    // This file has the list.
    files.retain(|path| !path.ends_with("tests/words.rs"));
    assert!(files.len() > 300, "only {} files in {}", files.len(), root.display());
    files.sort();
    let mut report = String::new();
    for path in &files {
        let text = fs::read_to_string(path).expect("a file of the repository");
        let shown = path.strip_prefix(root).unwrap_or(path).display();
        for (line, word, instead) in found(&text) {
            report += &format!("{shown}:{line}: `{word}`, write for example: {instead}\n");
        }
    }
    assert!(report.is_empty(), "words to avoid (CONTRIBUTING.md):\n{report}");
}

#[test]
fn words_are_found_in_sentences_and_names() {
    let lines =
        |text: &str| -> Vec<(usize, &str)> { found(text).into_iter().map(|(line, word, _)| (line, word)).collect() };
    assert_eq!(
        lines("/// Told by the shape.\nlet is_told = 1;"),
        [(1, "told"), (2, "told")]
    );
    assert_eq!(
        lines("struct TurnedRead;\nconst TOGETHER: usize = 3;"),
        [(1, "turned"), (2, "together")]
    );
    assert_eq!(
        lines("fn is_in_step() {}\n// as so\n// many"),
        [(1, "in step"), (3, "so many")]
    );
    assert_eq!(lines("for at in (0..64).step_by(8) {}"), []);
    assert_eq!(lines("/// Returned retold legend, so: many."), []);
}
