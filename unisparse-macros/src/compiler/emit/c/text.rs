//! Indented lines of C.

/// Whether a name occurs in a text.
pub(crate) fn mentions(text: &str, name: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    text.split(|character| !is_part(character)).any(|word| word == name)
}

/// Text that is built line by line.
#[derive(Default)]
pub(crate) struct Lines {
    text: String,
    depth: usize,
}

impl Lines {
    /// Creates lines with this indentation depth.
    pub(crate) fn inside(depth: usize) -> Self {
        Lines {
            text: String::new(),
            depth,
        }
    }

    /// Creates lines with the current depth.
    #[cfg(feature = "hls")]
    pub(crate) fn beside(&self) -> Self {
        Lines::inside(self.depth)
    }

    /// Appends lines that were printed with the current depth.
    pub(crate) fn append(&mut self, lines: &Lines) {
        self.text += &lines.text;
    }

    /// Whether a name occurs in the lines.
    pub(crate) fn mention(&self, name: &str) -> bool {
        mentions(&self.text, name)
    }

    pub(crate) fn line(&mut self, line: impl AsRef<str>) {
        for _ in 0..self.depth {
            self.text += "    ";
        }
        self.text += line.as_ref();
        self.text.push('\n');
    }

    /// Adds `head {`. Later lines are inside the braces.
    pub(crate) fn open(&mut self, head: impl AsRef<str>) {
        let head = head.as_ref();
        self.line(if head.is_empty() {
            "{".to_owned()
        } else {
            format!("{head} {{")
        });
        self.depth += 1;
    }

    pub(crate) fn close(&mut self) {
        self.close_with("}");
    }

    /// Closes the braces and opens the next block: `} head {`.
    pub(crate) fn turn(&mut self, head: &str) {
        self.depth -= 1;
        self.line(format!("}} {head} {{"));
        self.depth += 1;
    }

    pub(crate) fn close_with(&mut self, end: &str) {
        self.depth -= 1;
        self.line(end);
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }
}
