//! Indented lines of a program.

/// Text that is built line by line.
#[derive(Default)]
pub(super) struct Lines {
    text: String,
    depth: usize,
}

impl Lines {
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn line(&mut self, line: impl AsRef<str>) {
        if !line.as_ref().is_empty() {
            self.text += &"    ".repeat(self.depth);
        }
        self.text += line.as_ref();
        self.text.push('\n');
    }

    /// Adds `head {`. Later lines are inside the braces.
    pub(super) fn open(&mut self, head: impl AsRef<str>) {
        let space = if head.as_ref().is_empty() { "" } else { " " };
        self.line(format!("{}{space}{{", head.as_ref()));
        self.depth += 1;
    }

    pub(super) fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}
