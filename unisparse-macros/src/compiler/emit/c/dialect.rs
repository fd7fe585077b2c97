//! What is of the target and not of the language: C itself here, and whatever is C with other words around it.

/// How a function and its helpers are introduced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dialect {
    /// Before the name of a kernel's function.
    pub(crate) function: &'static str,
    /// Before a helper of the prelude.
    pub(crate) helper: &'static str,
    /// After the `*` of a pointer that nothing else points into.
    pub(crate) unaliased: &'static str,
    /// Before a loop whose iterations write to places of their own, so that they may run at once.
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
