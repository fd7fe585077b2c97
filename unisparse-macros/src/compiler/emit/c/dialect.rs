//! Keywords, types and helpers in which C, CUDA and C++ for high-level synthesis differ.

use crate::compiler::encoding::IndexType;

/// The text that introduces functions, helpers and loops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dialect {
    /// The text before the name of a kernel's function.
    pub(crate) function: &'static str,
    /// The text before a helper of the prelude.
    pub(crate) helper: &'static str,
    /// The text after the `*` of a pointer without aliases.
    pub(crate) unaliased: &'static str,
    /// The text before a loop whose iterations write different places, so that they may run in parallel.
    pub(crate) parallel: &'static str,
    /// The types of a `usize` and of an `isize` in memory.
    pub(crate) native: [&'static str; 2],
    /// The text before the helpers of the prelude.
    pub(crate) headers: &'static str,
    /// The helpers that read `f16` and `bf16`.
    pub(crate) halves: [&'static str; 2],
    /// Whether the functions allocate memory, for sparse results and for copies of operands.
    pub(crate) allocates: bool,
    /// Whether the arrays of a tensor are parameters of their own, in place of the members of a struct.
    pub(crate) is_flat: bool,
}

impl Dialect {
    pub(crate) const C: Dialect = Dialect {
        function: "int",
        helper: "static inline",
        unaliased: "restrict ",
        parallel: "UNISPARSE_PARALLEL",
        native: ["size_t", "ptrdiff_t"],
        headers: include_str!("headers.c"),
        halves: [include_str!("half.c"), include_str!("bfloat.c")],
        allocates: true,
        is_flat: false,
    };

    /// Returns the type of an entry of an `idx` or a `ptr` array.
    pub(super) fn integer(self, index: IndexType) -> String {
        match (index.native, index.signed) {
            (true, signed) => self.number(!signed).to_owned(),
            (false, false) => format!("uint{}_t", index.bits),
            (false, true) => format!("int{}_t", index.bits),
        }
    }

    /// Returns the type, in memory, of a number that is a `usize` or an `isize` in Rust.
    pub(super) fn number(self, natural: bool) -> &'static str {
        self.native[usize::from(!natural)]
    }
}
