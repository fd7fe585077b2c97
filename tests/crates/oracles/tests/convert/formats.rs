//! Every stock format of two dimensions, each as a type: code that is generic over a format is compiled for all of them.

use unisparse::SparseTensor;
use unisparse::formats::*;

/// A tensor that can be compared array by array. `==` compares elements only.
pub(crate) trait Stored: SparseTensor<2, Scalar = f32> + Clone + 'static {
    /// Whether the shapes, all arrays and the bits of all values are equal.
    fn same_storage(&self, other: &Self) -> bool;
}

/// What is done once with each format.
pub(crate) trait EachFormat {
    fn format<F: Stored>(&mut self);
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
                // `==` of the parts compares elements: their arrays follow.
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

// The parts of hybrids are among the whole formats.
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

/// How many formats there are.
pub(crate) const FORMATS: usize = 30;

/// `Bcsr<f32, 3, 4>`
pub(crate) fn name_of<F>() -> String {
    core::any::type_name::<F>().replace("unisparse::formats::", "")
}

/// The names of all types above.
pub(crate) fn names() -> Vec<String> {
    struct Names(Vec<String>);
    impl EachFormat for Names {
        fn format<F: Stored>(&mut self) {
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
