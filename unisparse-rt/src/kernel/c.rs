//! A kernel as a function of C, or as kernels of CUDA: its text and its parameters.

/// A kernel over one choice of formats, as a function of C.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// The name of the function.
    pub name: &'static str,
    /// The helpers that the text calls. Each is guarded, so that one file can contain the preludes of several functions.
    pub prelude: &'static str,
    /// The structs of the tensors, and the function. It returns 0, or 1 if there was no memory for its result.
    pub text: &'static str,
    /// The parameters of the function, in order.
    pub parameters: &'static [Parameter],
}

/// A parameter of a function.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its name in C.
    pub name: &'static str,
    /// What it is.
    pub kind: ParameterKind,
}

/// What a parameter is.
#[derive(Debug, Clone, Copy)]
pub enum ParameterKind {
    /// A pointer to the elements of a dense operand in row-major order, or to a scalar result.
    Dense,
    /// A scalar operand.
    Scalar,
    /// A pointer to a `struct unisparse_output_..` that takes the elements of a sparse result; in CUDA, a struct of pointers
    /// to its coordinates, one array of `size_t` for each dim, and to its values.
    Output {
        /// Whether they are unordered and may have duplicates: the caller sorts and sums them.
        scattered: bool,
    },
    /// A pointer to a struct of arrays.
    Tensor {
        /// The struct's name.
        kind: &'static str,
        /// Whether it points to an array of structs, one for each part of the tensor; then the next argument is their number.
        is_cut: bool,
        /// What the struct holds, in order.
        members: &'static [Member],
    },
    /// The extent of an index, a `size_t`.
    Extent,
    /// A const parameter of a format, a `size_t`.
    Constant,
    /// A pointer to room for one partial result of each block of threads, in CUDA.
    Partials,
    /// The number of partial results, a `uint64_t`.
    Count,
    /// A pointer to room for the elements of one first coordinate of the output, for each worker of the launches that leave
    /// carries, in CUDA.
    Carries,
    /// The number of workers of the last launch of kernels other than those with one block, a `uint64_t`. With a sparse output,
    /// these launches must have equal numbers of workers.
    Workers,
    /// A pointer to a `uint64_t` for each worker, and one more, in CUDA.
    Starts,
    /// A pointer to the keys of the workers' tables, of type `size_t`, in CUDA.
    Keys,
    /// A pointer to the elements of the workers' tables, in CUDA.
    Sums,
}

/// A member of a tensor's struct.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    /// Its name in C.
    pub name: &'static str,
    /// The level that it belongs to; that of the first array where there are several.
    pub level: usize,
    /// The type of the number, or of an entry of the array.
    pub entry: &'static str,
    /// What it is.
    pub kind: MemberKind,
}

/// What a member of a tensor's struct is.
#[derive(Debug, Clone, Copy)]
pub enum MemberKind {
    /// In a part of a partitioned tensor, the coordinate at this level of the node that the part is below.
    Given,
    /// How many coordinates the level has.
    Size,
    /// How many entries the level's `idx` array has.
    Count,
    /// A pointer to the `ptr` array.
    Pointers,
    /// A pointer to the `idx` array.
    Indices,
    /// A pointer to the values.
    Values,
    /// A pointer to an array of structs, of several arrays side by side.
    Entries(&'static [Member]),
}

/// A kernel over one choice of formats, as kernels of CUDA.
#[derive(Debug, Clone, Copy)]
pub struct Kernels {
    /// The prefix of the names of the kernels.
    pub name: &'static str,
    /// The helpers that the text calls. Each is guarded, so that one file can contain the preludes of several kernels.
    pub prelude: &'static str,
    /// The structs of the tensors, and the kernels. `UNISPARSE_LANES` defines the number of lanes in a group, a power of
    /// two up to 32; `UNISPARSE_WIDE` is defined if an extent or the length of an array is 2³⁰ or more.
    pub text: &'static str,
    /// The parameters of every kernel, in order. Extents, const parameters and counts have 64 bits; a tensor is a struct, or a
    /// pointer to structs and their number.
    pub parameters: &'static [Parameter],
    /// The launches, in order. Each starts after all threads of the one before.
    pub launches: &'static [Launch],
}

/// A launch of a kernel. Blocks have a multiple of 32 threads, at most `UNISPARSE_THREADS`, all in the first dimension.
#[derive(Debug, Clone, Copy)]
pub struct Launch {
    /// The name of the kernel.
    pub kernel: &'static str,
    /// The threads that it can use.
    pub work: Work,
    /// Whether the groups have `UNISPARSE_LANES` lanes, and not one.
    pub has_lanes: bool,
    /// The number of positions that the groups divide. More groups have nothing to do.
    pub positions: Count,
    /// The terms at all positions that the lanes of the groups divide.
    pub terms: Terms,
    /// The inputs for which it is made.
    pub when: When,
    /// The number of entries of all rows, of which each group of a launch for skewed inputs takes an equal share; unknown for
    /// launches that are always made.
    pub divided: Count,
    /// Whether each group leaves carries to the launch after it: the others need no room for them.
    pub leaves_carries: bool,
    /// The arrays that must have room before the launch, as the launches before it have found.
    pub allocates: Option<Allocation>,
}

/// The terms that the lanes of groups divide, of all positions. With fewer at a position than lanes, lanes have nothing to do.
#[derive(Debug, Clone, Copy)]
pub enum Terms {
    /// The loops find them.
    Unknown,
    /// Terms of sums: a lane adds several, and the lanes of a group add their sums.
    Summed(Count),
    /// Elements of tiles: a lane has up to four in registers.
    Tiled(Count),
    /// Others: a lane has one at a time.
    Each(Count),
}

/// The inputs for which a launch is made. The caller chooses between `Even` and `Skewed` for each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// All.
    Always,
    /// The longest row takes no longer than all entries, evenly divided.
    Even,
    /// It would take longer: workers divide rows, too.
    Skewed,
}

/// Arrays whose lengths launches find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allocation {
    /// The keys and the elements of tables: as many of each as the last number of `tables` says.
    Tables,
    /// The coordinates and values of a sparse output: as many as the last number of `starts` says.
    Elements,
}

/// A number that the host computes from the arguments of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// The loops compute it.
    Unknown,
    /// A constant.
    Number(u64),
    /// The value of a parameter, by its number: an extent or a const parameter.
    Parameter(usize),
    /// The number of coordinates of a level.
    Size {
        /// The parameter that is the tensor.
        parameter: usize,
        /// The level.
        level: usize,
    },
    /// The number of entries in the `idx` array of a level, of all parts.
    Entries {
        /// The parameter that is the tensor.
        parameter: usize,
        /// The level.
        level: usize,
    },
    /// A sum.
    Plus(&'static [Count; 2]),
    /// A difference.
    Minus(&'static [Count; 2]),
    /// A product.
    Times(&'static [Count; 2]),
    /// A quotient, rounded down.
    Floor(&'static [Count; 2]),
    /// A quotient, rounded up.
    Ceil(&'static [Count; 2]),
}

/// The kernels of one choice of formats, with the values of its const parameters.
#[derive(Debug, Clone, Copy)]
pub struct OfFormats {
    /// The kernels.
    pub kernels: &'static Kernels,
    /// The values of the parameters that are [`Constant`](ParameterKind::Constant), in order.
    pub constants: &'static [usize],
}

/// The threads that a kernel can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Any number of threads, which divide the work.
    Divided,
    /// One thread does all of the work, whatever the number of threads.
    Whole,
    /// One block.
    Block,
}
