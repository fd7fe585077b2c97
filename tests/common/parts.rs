//! The parts of a tensor as one tuple, whatever their number: calls and changes.

/// A function called with a tuple.
pub trait Call<Arguments> {
    type Output;
    fn call(self, arguments: Arguments) -> Self::Output;
}

/// An array of a tensor, seen as integers; values are rounded.
pub trait Array {
    fn len(&self) -> usize;
    fn truncate(&mut self, len: usize);
    fn push(&mut self, entry: i64);
    fn get(&self, at: usize) -> i64;
    fn set(&mut self, at: usize, entry: i64);
}

macro_rules! array {
    ($($entry:ty),*) => {$(
        impl Array for Vec<$entry> {
            fn len(&self) -> usize { Vec::len(self) }
            fn truncate(&mut self, len: usize) { Vec::truncate(self, len) }
            fn push(&mut self, entry: i64) { Vec::push(self, entry as $entry) }
            fn get(&self, at: usize) -> i64 { self[at] as i64 }
            fn set(&mut self, at: usize, entry: i64) { self[at] = entry as $entry }
        }
    )*};
}

array!(u8, u16, u32, u64, usize, i8, i16, i32, i64, f32, f64);

/// A tuple of a shape and arrays.
pub trait Parts {
    /// The extents.
    fn shape(&mut self) -> &mut [usize];
    /// The arrays in order, the values last.
    fn arrays(&mut self) -> Vec<&mut dyn Array>;
}

macro_rules! tuples {
    ($($array:ident)*) => {
        impl<Function, Output, Shape, $($array),*> Call<(Shape, $($array),*)> for Function
        where
            Function: FnOnce(Shape, $($array),*) -> Output,
        {
            type Output = Output;
            #[allow(non_snake_case)]
            fn call(self, (shape, $($array),*): (Shape, $($array),*)) -> Output {
                self(shape, $($array),*)
            }
        }

        impl<const N: usize, $($array: Array),*> Parts for ([usize; N], $($array),*) {
            fn shape(&mut self) -> &mut [usize] {
                &mut self.0
            }
            #[allow(non_snake_case)]
            fn arrays(&mut self) -> Vec<&mut dyn Array> {
                let (_, $($array),*) = self;
                vec![$($array),*]
            }
        }
    };
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);
tuples!(A B C D E F G H I);
tuples!(A B C D E F G H I J);
