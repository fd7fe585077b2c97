//! What the documentation shows is what the tool says: the picture in the README, the errors in docs/LANGUAGE.md and the tutorial,
//! and the tables for users of other libraries, whose lines are compiled below them.

use std::fs;
use std::path::{Path, PathBuf};

use unisparse::prelude::*;

fn path(of: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(of)
}

fn read(of: &str) -> String {
    fs::read_to_string(path(of)).unwrap_or_else(|error| panic!("{of}: {error}"))
}

/// `BLESS=1 cargo test --test docs` draws the picture again.
#[test]
fn the_picture_is_what_the_tool_draws() {
    let (name, drawn) = ("docs/csr.svg", Csr::<f64>::describe().svg());
    if std::env::var_os("BLESS").is_some() {
        fs::write(path(name), &drawn).unwrap();
    }
    assert!(
        read(name) == drawn,
        "{name} is another picture; `BLESS=1 cargo test --test docs` draws it again"
    );
    assert!(read("README.md").contains(name), "{name} is not in the README");
}

/// A code block of a Markdown file: what follows the backticks, and the lines.
struct Block<'a> {
    kind: &'a str,
    lines: Vec<&'a str>,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(kind) => {
                if !inside {
                    let lines = Vec::new();
                    blocks.push(Block { kind, lines });
                }
                inside = !inside;
            }
            None if inside => blocks.last_mut().expect("it has begun").lines.push(line),
            None => {}
        }
    }
    blocks
}

/// All files of this extension below a folder.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found = entries.flat_map(|path| match path.is_dir() {
        true => files(&path, extension),
        false => vec![path],
    });
    found
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect()
}

/// An error in the documentation stands below the code that causes it. Both are in a case of `tests/crates/messages`, whose
/// `.stderr` is what the compiler says.
#[test]
fn errors_are_what_the_compiler_says() {
    let is_error = |block: &Block<'_>| block.kind == "text" && block.lines[0].starts_with("error");
    let cases = files(&path("tests/crates/messages/ui"), "rs");
    for page in ["docs/LANGUAGE.md", "docs/guide/tutorial.md"] {
        let text = read(page);
        let blocks = blocks(&text);
        let mut shown = 0;
        for pair in blocks.windows(2).filter(|pair| is_error(&pair[1])) {
            shown += 1;
            let [code, error] = pair else { unreachable!() };
            assert!(code.kind.starts_with("rust,compile_fail"), "{page}: {:?}", error.lines);
            let code = code.lines.iter().filter(|line| !line.starts_with("# "));
            let code = code.copied().collect::<Vec<_>>().join("\n");
            let case = cases.iter().find(|case| {
                let said = fs::read_to_string(case.with_extension("stderr")).unwrap_or_default();
                fs::read_to_string(case).unwrap().contains(&code)
                    && error
                        .lines
                        .iter()
                        .all(|line| said.lines().any(|said| said.trim_start() == line.trim_start()))
            });
            assert!(
                case.is_some(),
                "{page}: no case of tests/crates/messages has this error: {:?}",
                error.lines
            );
        }
        assert!(shown > 0, "{page}");
    }
}

/// What a row of a table shows in Rust: the first code of its last cell, if the cell begins with it.
fn shown(row: &str) -> Option<String> {
    let cell = row.strip_prefix("| ")?.strip_suffix(" |")?.rsplit(" | ").next()?;
    let code = cell.strip_prefix('`')?.split('`').next()?;
    Some(code.replace("\\|", "|"))
}

/// Programs read and write no files here.
fn is_compiled_elsewhere(code: &str) -> bool {
    code.contains("io::")
}

#[test]
fn tables_for_users_of_other_libraries_are_compiled() {
    for library in ["scipy", "sprs", "graphblas", "taco"] {
        let page = format!("docs/guide/{library}.md");
        let text = read(&page);
        let programs = blocks(&text).into_iter().filter(|block| block.kind == "rust");
        let programs: String = programs
            .flat_map(|block| block.lines)
            .map(|line| format!("{line}\n"))
            .collect();
        let rows: Vec<String> = text.lines().filter_map(shown).collect();
        assert!(rows.len() >= 30, "{page} has {} rows", rows.len());
        let missing: Vec<&String> = rows
            .iter()
            .filter(|code| !is_compiled_elsewhere(code) && !programs.contains(code.as_str()))
            .collect();
        assert!(missing.is_empty(), "{page} has no program with {missing:#?}");
    }
}

/// The anchor of a heading, as GitHub and rustdoc make it.
fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_lead_somewhere() {
    for file in [
        "README.md",
        "CONTRIBUTING.md",
        "docs/LANGUAGE.md",
        "docs/ARCHITECTURE.md",
    ] {
        let text = read(file);
        let anchors: Vec<String> = text.lines().filter(|line| line.starts_with('#')).map(anchor).collect();
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for link in links.filter(|link| !link.starts_with("http")) {
            let found = match link.strip_prefix('#') {
                Some(wanted) => anchors.iter().any(|anchor| anchor == wanted),
                None => path(file).parent().unwrap().join(link).exists(),
            };
            assert!(found, "{file}: {link}");
        }
    }
}
