//! Lines of C, indented.

/// Text that grows line by line.
#[derive(Default)]
pub(super) struct Lines {
    text: String,
    depth: usize,
}

impl Lines {
    /// Lines to stand so deep inside others.
    pub(super) fn inside(depth: usize) -> Self {
        Lines {
            text: String::new(),
            depth,
        }
    }

    /// Lines that were printed to stand here.
    pub(super) fn append(&mut self, lines: &Lines) {
        self.text += &lines.text;
    }

    /// Whether a name occurs in them.
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

    /// `head {`, and what follows is inside.
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

    /// `} else {`
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
