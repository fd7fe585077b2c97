//! The level table of a format as text: `describe` without data, `explain` with data.

use core::fmt;

use super::picture::Picture;
use crate::array::{Domain, IndexArray};
use crate::format::{Kind, Level, LevelArrays, Tree};

/// The level table of a format, with one row per level. `{}` prints it.
#[derive(Debug, Clone)]
pub struct Describe {
    pub(crate) name: &'static str,
    pub(crate) declaration: &'static str,
    pub(crate) parameters: String,
    pub(crate) levels: Vec<Level>,
    /// The storage of an example, if it is small enough to draw.
    pub(crate) picture: Option<Picture>,
    /// The parts of a hybrid, which has no levels of its own.
    pub(crate) parts: Vec<Describe>,
}

impl Describe {
    /// Creates the table of format `name`, declared as `declaration`, with these values of its parameters.
    #[must_use]
    pub fn new(name: &'static str, declaration: &'static str, parameters: String, levels: &[Level]) -> Self {
        Describe {
            name,
            declaration,
            parameters,
            levels: levels.to_vec(),
            picture: None,
            parts: Vec::new(),
        }
    }

    /// Creates the tables of a hybrid's parts.
    #[must_use]
    pub fn of_parts(name: &'static str, declaration: &'static str, parameters: String, parts: Vec<Describe>) -> Self {
        Describe {
            parts,
            ..Describe::new(name, declaration, parameters, &[])
        }
    }

    /// Adds the storage of an example.
    #[doc(hidden)]
    #[must_use]
    pub fn with_picture(mut self, picture: Picture) -> Self {
        self.picture = Some(picture);
        self
    }

    /// Returns the format's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name
    }

    /// Returns the format's name and its const parameters: `Bdia<B=64>`.
    #[must_use]
    pub fn title(&self) -> String {
        format!("{}{}", self.name, self.parameters)
    }

    /// Returns the declaration as one line of the language.
    #[must_use]
    pub fn declaration(&self) -> &str {
        self.declaration
    }
}

/// Writes rows of cells as columns that are two spaces apart.
fn table(f: &mut fmt::Formatter<'_>, rows: &[[String; 5]]) -> fmt::Result {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (a, b, c, d) = (width(0), width(1), width(2), width(3));
    for [name, expression, domain, storage, why] in rows {
        writeln!(f, "  {name:a$}  {expression:b$}  {domain:c$}  {storage:d$}  {why}")?;
    }
    Ok(())
}

fn header() -> [String; 5] {
    ["level", "expr", "domain", "storage", "why"].map(str::to_owned)
}

impl fmt::Display for Describe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}{}", self.name, self.parameters)?;
        writeln!(f, "  {}", self.declaration)?;
        if !self.parts.is_empty() {
            return self.parts.iter().try_for_each(|part| write!(f, "{part}"));
        }
        let mut rows = vec![header()];
        for level in &self.levels {
            rows.push([level.name, level.expression, level.domain, level.storage, level.why].map(str::to_owned));
        }
        table(f, &rows)
    }
}

/// The level table of one tensor, with the sizes of its arrays. `{}` prints it.
#[derive(Debug, Clone)]
pub struct Explain {
    title: String,
    rows: Vec<[String; 5]>,
    /// The parts of a hybrid, which has no levels of its own.
    parts: Vec<Explain>,
}

impl Explain {
    /// Creates the table of `tensor`; `kind` is its type as a user writes it.
    #[must_use]
    pub fn new<F: Tree<N, M>, const N: usize, const M: usize>(
        tensor: &F,
        kind: &str,
        nonzeros: usize,
        bytes: usize,
    ) -> Self {
        let shape = tensor.shape();
        let stored = tensor.stored();
        let domains = F::domains(shape, &tensor.sizes()).ok();
        let mut rows = vec![header()];
        for (level, (spec, arrays)) in F::LEVELS.iter().zip(tensor.arrays()).enumerate() {
            let domain = domains.as_ref().map(|domains| domains[level]);
            rows.push(row(spec, &[arrays], domain));
        }
        // The size as compressed rows: `u32` pointers and columns (fibers for more dims).
        let rows_of_csr = Tree::shape(tensor).first().copied().unwrap_or(0) as u128;
        let csr = nonzeros as u128 * (size_of::<<F as Tree<N, M>>::Scalar>() + 4 * (N.max(2) - 1)) as u128
            + 4 * (rows_of_csr + 1);
        let beside = if N == 2 {
            format!("  (as compressed rows: {csr} B)")
        } else {
            String::new()
        };
        let title = title(kind, &shape, nonzeros, stored) + &format!("  {bytes} B{beside}");
        Explain {
            title,
            rows,
            parts: Vec::new(),
        }
    }

    /// Creates the table of a partitioned tensor: `upper` holds the arrays of the levels above the cut; below it, each row sums
    /// over the arrays of all parts.
    #[must_use]
    pub fn partitioned<F: Tree<N, M>, P: Tree<N, M>, const N: usize, const M: usize>(
        kind: &str,
        [nonzeros, stored, bytes]: [usize; 3],
        (shape, sizes): ([usize; N], [usize; M]),
        upper: &[LevelArrays<'_>],
        parts: &[P],
    ) -> Self {
        let domains = F::domains(shape, &sizes).ok();
        let domain = |level: usize| domains.as_ref().map(|domains| domains[level]);
        let mut rows = vec![header()];
        for (level, arrays) in upper.iter().enumerate() {
            rows.push(row(&F::LEVELS[level], &[*arrays], domain(level)));
        }
        let arrays: Vec<_> = parts.iter().map(Tree::arrays).collect();
        for (level, spec) in P::LEVELS.iter().enumerate().skip(upper.len()) {
            let arrays: Vec<_> = arrays.iter().map(|arrays| arrays[level]).collect();
            rows.push(row(spec, &arrays, domain(level)));
        }
        let title = title(kind, &shape, nonzeros, stored) + &format!("  {bytes} B in {} parts", parts.len());
        Explain {
            title,
            rows,
            parts: Vec::new(),
        }
    }

    /// Creates the tables of a hybrid's parts, under the totals of their elements, positions and bytes.
    #[must_use]
    pub fn of_parts(kind: &str, shape: &[usize], [nonzeros, stored, bytes]: [usize; 3], parts: Vec<Explain>) -> Self {
        Explain {
            title: title(kind, shape, nonzeros, stored) + &format!("  {bytes} B"),
            rows: Vec::new(),
            parts,
        }
    }
}

/// Formats the row of a level: its domain, and the total lengths of its arrays.
fn row(level: &Level, arrays: &[LevelArrays<'_>], domain: Option<Domain>) -> [String; 5] {
    let mut storage = Vec::new();
    let of = |array: fn(&LevelArrays<'_>) -> Option<usize>| arrays.iter().map(array).sum::<Option<usize>>();
    let lengths = [
        (
            "ptr",
            of(|arrays| arrays.ptr.map(IndexArray::len)),
            arrays.first().and_then(|arrays| arrays.ptr),
        ),
        (
            "idx",
            of(|arrays| arrays.idx.map(IndexArray::len)),
            arrays.first().and_then(|arrays| arrays.idx),
        ),
    ];
    for (label, length, first) in lengths {
        if let (Some(length), Some(first)) = (length, first) {
            storage.push(format!("{label}[{length}] {}", first.type_name()));
        }
    }
    match (level.kind, domain) {
        (Kind::Dense, Some(domain)) => storage.push(format!("size {}", domain.size)),
        // Each part has a size of its own.
        (Kind::Counted { pointed: false }, Some(domain)) if arrays.len() == 1 => {
            storage.push(format!("size {}", domain.size));
        }
        (Kind::Counted { pointed: false }, _) => storage.push("size".to_owned()),
        _ => {}
    }
    if level.kind.holds_nothing() {
        storage.push("nothing".to_owned());
    }
    [
        level.name.to_owned(),
        level.expression.to_owned(),
        match domain {
            // An open domain only bounds the arithmetic, so it is not shown.
            Some(domain) if domain == Domain::open(false) || domain == Domain::open(true) => "measured".to_owned(),
            Some(domain) => format!("{}..{}", domain.lo, domain.end()),
            None => String::new(),
        },
        storage.join(", "),
        level.why.to_owned(),
    ]
}

fn title(kind: &str, shape: &[usize], nonzeros: usize, stored: usize) -> String {
    let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let fill = if stored == 0 {
        100.0
    } else {
        100.0 * nonzeros as f64 / stored as f64
    };
    format!(
        "{kind}  {}  {nonzeros} nonzeros  {stored} stored ({fill:.1} % fill)",
        shape.join(" x ")
    )
}

impl fmt::Display for Explain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        if !self.parts.is_empty() {
            return self.parts.iter().try_for_each(|part| write!(f, "{part}"));
        }
        table(f, &self.rows)
    }
}
