//! Every stock format of two dims as a type: code that is generic over a format is compiled for all of them.

use unisparse::SparseTensor;
use unisparse::formats::*;

/// A tensor whose arrays can be compared. `==` compares elements only.
pub(crate) trait Stored: SparseTensor<2, Scalar = f32> + Clone + 'static {
    /// Whether the shapes, all arrays and the bits of all values are equal.
    fn same_storage(&self, other: &Self) -> bool;
}

/// A format that is converted to others.
pub(crate) trait Converted: Stored {
    /// The number of formats to which it is converted.
    const TARGETS: usize;

    fn each_target(what: &mut impl EachFormat);
}

/// An action for each format.
pub(crate) trait EachFormat {
    fn format<F: Converted>(&mut self);
}

fn same_bits<F: Stored>(left: &F, right: &F) -> bool {
    left.values().map(f32::to_bits).eq(right.values().map(f32::to_bits))
}

macro_rules! formats {
    (
        whole { $($whole:ty,)* }
        partitioned { $($partitioned:ty,)* }
        hybrid { $($hybrid:ty,)* }
    ) => {
        $(impl Stored for $whole {
            fn same_storage(&self, other: &Self) -> bool {
                self.clone().into_parts() == other.clone().into_parts() && same_bits(self, other)
            }
        })*

        $(impl Stored for $partitioned {
            fn same_storage(&self, other: &Self) -> bool {
                // `==` of the parts compares elements; the arrays are compared below.
                self.clone().into_parts() == other.clone().into_parts()
                    && self.parts().iter().map(|part| part.clone().into_parts())
                        .eq(other.parts().iter().map(|part| part.clone().into_parts()))
                    && same_bits(self, other)
            }
        })*

        $(impl Stored for $hybrid {
            fn same_storage(&self, other: &Self) -> bool {
                let ((first, second), (other_first, other_second)) = (self.parts(), other.parts());
                first.same_storage(other_first) && second.same_storage(other_second)
            }
        })*

        pub(crate) fn each_format(what: &mut impl EachFormat) {
            $(what.format::<$whole>();)*
            $(what.format::<$partitioned>();)*
            $(what.format::<$hybrid>();)*
        }
    };
}

// The formats of the parts of hybrids are in the list as formats of their own.
formats! {
    whole {
        Coo<f32>,
        Csr<f32>,
        Csc<f32>,
        Dcsr<f32>,
        Dcsc<f32>,
        Dia<f32>,
        DiaVariant<f32>,
        Bcsr<f32>,
        Bcsr<f32, 3, 4>,
        Bcsc<f32>,
        Bcsc<f32, 5, 1>,
        Csb<f32>,
        Csb<f32, 7>,
        Bdia<f32>,
        Bdia<f32, 3>,
        HiCoo<f32>,
        HiCoo<f32, 6>,
        Dok<f32>,
        Lil<f32>,
        Ell<f32>,
        Sell<f32>,
        Sell<f32, 2, 5>,
        Jds<f32>,
        Bell<f32, 3>,
        Serpens<f32, 4, 64, 3>,
    }
    partitioned {
        C2sr<f32, 4>,
        Cisr<f32, 3>,
        CisrPlus<f32, 3>,
    }
    hybrid {
        BdiaCsr<f32, 3>,
        BellCoo<f32, 3>,
    }
}

/// Formats by how they are converted.
const KINDS: &[&[&str]] = &[
    &["Coo", "Dok"],
    &["Csr", "Dcsr", "Lil"],
    &["Csc", "Dcsc"],
    &["Dia", "DiaVariant", "Bdia"],
    &["Bcsr", "Bcsc"],
    &["Csb", "HiCoo"],
    &["Ell", "Jds", "Sell", "Bell"],
    &["C2sr", "Cisr", "CisrPlus", "Serpens"],
    &["BdiaCsr", "BellCoo"],
];

/// The formats to which each one is converted; the first is converted to all. With `RUSTFLAGS="--cfg every_product"` all are.
macro_rules! targets {
    ($first:ty => $($every:ty),+; $($source:ty => $($target:ty),+;)+) => {
        #[cfg(not(every_product))]
        targets!(@ $first => $($every),+; $($source => $($target),+;)+);
        #[cfg(every_product)]
        targets!(@every [$($every),+] $($every;)+);

        #[test]
        fn every_kind_is_converted_to_every_kind() {
            let every = [$(stringify!($every)),+];
            crate::common::cover::covered_by_kinds(
                "conversions",
                KINDS,
                &[&every, &every],
                &[&[&[stringify!($first)], &every], $(&[&[stringify!($source)], &[$(stringify!($target)),+]]),+],
            );
        }
    };
    (@every $targets:tt $($source:ty;)+) => { $(targets!(@one $source; $targets);)+ };
    (@one $source:ty; [$($target:ty),+]) => { targets!(@ $source => $($target),+;); };
    (@ $($source:ty => $($target:ty),+;)+) => {
        $(impl Converted for $source {
            const TARGETS: usize = [$(stringify!($target)),+].len();

            fn each_target(what: &mut impl EachFormat) {
                $(what.format::<$target>();)+
            }
        })+
    };
}

targets! {
    Csr<f32> => Coo<f32>, Dok<f32>, Csr<f32>, Dcsr<f32>, Lil<f32>, Csc<f32>, Dcsc<f32>, Dia<f32>, DiaVariant<f32>, Bdia<f32>, Bdia<f32, 3>, Bcsr<f32>, Bcsr<f32, 3, 4>, Bcsc<f32>, Bcsc<f32, 5, 1>, Csb<f32>, Csb<f32, 7>, HiCoo<f32>, HiCoo<f32, 6>, Ell<f32>, Sell<f32>, Sell<f32, 2, 5>, Jds<f32>, Bell<f32, 3>, C2sr<f32, 4>, Cisr<f32, 3>, CisrPlus<f32, 3>, Serpens<f32, 4, 64, 3>, BdiaCsr<f32, 3>, BellCoo<f32, 3>;
    Coo<f32> => Dok<f32>, Csr<f32>, Csc<f32>, Bcsr<f32>, Ell<f32>, BdiaCsr<f32, 3>;
    Dok<f32> => Csr<f32>, Dia<f32>, Csb<f32>, C2sr<f32, 4>;
    Dcsr<f32> => Coo<f32>, Csr<f32>, Lil<f32>, Bcsr<f32, 3, 4>, Cisr<f32, 3>;
    Lil<f32> => Csr<f32>, Dcsc<f32>, Csb<f32, 7>, BellCoo<f32, 3>;
    Csc<f32> => Coo<f32>, Csr<f32>, Dcsc<f32>, Bcsc<f32>, Sell<f32, 2, 5>, BdiaCsr<f32, 3>;
    Dcsc<f32> => Csr<f32>, Dcsr<f32>, Csc<f32>, Bdia<f32>, HiCoo<f32>, CisrPlus<f32, 3>;
    Dia<f32> => Dok<f32>, Csr<f32>, Bcsc<f32, 5, 1>, BellCoo<f32, 3>;
    DiaVariant<f32> => Csr<f32>, HiCoo<f32, 6>;
    Bdia<f32> => Csr<f32>, Csc<f32>, Jds<f32>;
    Bdia<f32, 3> => Csr<f32>, Bdia<f32, 3>, Serpens<f32, 4, 64, 3>;
    Bcsr<f32> => Coo<f32>, Csr<f32>, Bcsr<f32, 3, 4>, BdiaCsr<f32, 3>;
    Bcsr<f32, 3, 4> => Csr<f32>, Dcsr<f32>, Csb<f32>;
    Bcsc<f32> => Csr<f32>, Csc<f32>, Bell<f32, 3>;
    Bcsc<f32, 5, 1> => Csr<f32>, Dia<f32>, C2sr<f32, 4>;
    Csb<f32> => Dok<f32>, Csr<f32>, Bcsr<f32>, BellCoo<f32, 3>;
    Csb<f32, 7> => Csr<f32>, Lil<f32>, HiCoo<f32>;
    HiCoo<f32> => Csr<f32>, Dcsc<f32>, Ell<f32>;
    HiCoo<f32, 6> => Csr<f32>, DiaVariant<f32>, Cisr<f32, 3>;
    Ell<f32> => Coo<f32>, Csr<f32>, Csb<f32, 7>;
    Sell<f32> => Csr<f32>, Sell<f32, 2, 5>;
    Sell<f32, 2, 5> => Csr<f32>, Csc<f32>, CisrPlus<f32, 3>;
    Jds<f32> => Csr<f32>, Bdia<f32>, BdiaCsr<f32, 3>;
    Bell<f32, 3> => Csr<f32>, Bcsc<f32>;
    C2sr<f32, 4> => Dok<f32>, Csr<f32>, Bcsc<f32, 5, 1>, BellCoo<f32, 3>;
    Cisr<f32, 3> => Csr<f32>, Dcsr<f32>, HiCoo<f32, 6>;
    CisrPlus<f32, 3> => Csr<f32>, Dcsc<f32>, Sell<f32>;
    Serpens<f32, 4, 64, 3> => Csr<f32>, Bdia<f32, 3>, Serpens<f32, 4, 64, 3>;
    BdiaCsr<f32, 3> => Coo<f32>, Csr<f32>, Csc<f32>, Bcsr<f32>, Jds<f32>, BellCoo<f32, 3>;
    BellCoo<f32, 3> => Csr<f32>, Lil<f32>, Dia<f32>, Csb<f32>, C2sr<f32, 4>;
}

/// One format of each kind.
pub(crate) fn one_of_each_kind(what: &mut impl EachFormat) {
    what.format::<Coo<f32>>();
    what.format::<Csr<f32>>();
    what.format::<Csc<f32>>();
    what.format::<Dia<f32>>();
    what.format::<Bcsr<f32, 3, 4>>();
    what.format::<HiCoo<f32, 6>>();
    what.format::<Sell<f32, 2, 5>>();
    what.format::<CisrPlus<f32, 3>>();
    what.format::<BellCoo<f32, 3>>();
}

/// Returns the number of pairs of formats that are converted.
pub(crate) fn pairs() -> usize {
    struct Pairs(usize);
    impl EachFormat for Pairs {
        fn format<F: Converted>(&mut self) {
            self.0 += F::TARGETS;
        }
    }
    let mut pairs = Pairs(0);
    each_format(&mut pairs);
    pairs.0
}

/// The number of formats.
pub(crate) const FORMATS: usize = 30;

/// Returns the name of a type, such as `Bcsr<f32, 3, 4>`.
pub(crate) fn name_of<F>() -> String {
    core::any::type_name::<F>().replace("unisparse::formats::", "")
}

/// The names of all types above.
pub(crate) fn names() -> Vec<String> {
    struct Names(Vec<String>);
    impl EachFormat for Names {
        fn format<F: Converted>(&mut self) {
            self.0.push(name_of::<F>());
        }
    }
    let mut names = Names(Vec::new());
    each_format(&mut names);
    names.0
}

#[test]
fn no_stock_format_of_two_dimensions_is_left_out() {
    let source = include_str!("../../../../../src/formats.rs");
    let mut declared = Vec::new();
    for declaration in ["pub format ", "pub hybrid "] {
        for text in source.split(declaration).skip(1) {
            let two = declaration == "pub hybrid " || text[text.find('|').unwrap()..].starts_with("|i, j|");
            let name = text.split([' ', '<']).next().unwrap();
            if two {
                declared.push(name);
            }
        }
    }
    assert!(declared.len() >= 23, "{declared:?}");
    let names = names();
    assert_eq!(names.len(), FORMATS);
    for name in declared {
        let listed = |format: &String| format.split('<').next() == Some(name);
        assert!(names.iter().any(listed), "`{name}` is not among {names:?}");
    }
}
