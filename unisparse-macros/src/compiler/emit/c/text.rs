//! Indented lines of C.

/// Text that is built line by line.
#[derive(Default)]
pub(super) struct Lines {
    text: String,
    depth: usize,
}

impl Lines {
    /// Creates lines with this indentation depth.
    pub(super) fn inside(depth: usize) -> Self {
        Lines {
            text: String::new(),
            depth,
        }
    }

    /// Appends lines that were printed with the current depth.
    pub(super) fn append(&mut self, lines: &Lines) {
        self.text += &lines.text;
    }

    /// Whether a name occurs in the lines.
    pub(super) fn mention(&self, name: &str) -> bool {
        let is_part = |character: char| character.is_alphanumeric() || character == '_';
        self.text
            .split(|character| !is_part(character))
            .any(|word| word == name)
    }

    pub(super) fn line(&mut self, line: impl AsRef<str>) {
        for _ in 0..self.depth {
            self.text += "    ";
        }
        self.text += line.as_ref();
        self.text.push('\n');
    }

    /// Adds `head {`. Later lines are inside the braces.
    pub(super) fn open(&mut self, head: impl AsRef<str>) {
        let head = head.as_ref();
        self.line(if head.is_empty() {
            "{".to_owned()
        } else {
            format!("{head} {{")
        });
        self.depth += 1;
    }

    pub(super) fn close(&mut self) {
        self.close_with("}");
    }

    /// Closes the braces and opens the next block: `} head {`.
    pub(super) fn turn(&mut self, head: &str) {
        self.depth -= 1;
        self.line(format!("}} {head} {{"));
        self.depth += 1;
    }

    pub(super) fn close_with(&mut self, end: &str) {
        self.depth -= 1;
        self.line(end);
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}
