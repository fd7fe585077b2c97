//! The example that a picture of a format shows.

/// The storage of an example, computed by the macro.
#[derive(Debug, Clone, Copy)]
pub struct Picture {
    /// The example tensor and the parameters, as the beginning of a sentence.
    pub caption: &'static str,
    /// The positions in storage order: the coordinate of each level and the value, separated by spaces.
    /// `|` repeats the node of the line above; a shorter line ends at a node without children.
    pub lines: &'static [&'static str],
    /// The name and the entries of each array. Spaces separate entries; `|` separates the arrays of different parts.
    pub arrays: &'static [(&'static str, &'static str)],
}
