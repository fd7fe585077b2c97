//! Properties of a target that are not properties of C, for C itself and for languages based on C.

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
}

impl Dialect {
    pub(crate) const C: Dialect = Dialect {
        function: "int",
        helper: "static inline",
        unaliased: "restrict ",
        parallel: "UNISPARSE_PARALLEL",
    };
}
