/* Positions from the first to below the second. */
struct unisparse_range {
    size_t start, end;
};

static inline ptrdiff_t unisparse_lesser(ptrdiff_t left, ptrdiff_t right) {
    return left < right ? left : right;
}

static inline ptrdiff_t unisparse_greater(ptrdiff_t left, ptrdiff_t right) {
    return left > right ? left : right;
}

/* The quotient rounded down. The divisor is positive. */
static inline ptrdiff_t unisparse_floor(ptrdiff_t dividend, ptrdiff_t divisor) {
    return dividend / divisor - (dividend % divisor < 0);
}

/* The quotient rounded up. */
static inline size_t unisparse_ceil(size_t dividend, size_t divisor) {
    return dividend / divisor + (dividend % divisor != 0);
}

/* The product, or the greatest number if that is too large. */
static inline size_t unisparse_product(size_t left, size_t right) {
    return right != 0 && left > SIZE_MAX / right ? SIZE_MAX : left * right;
}

/* The first number from `low` on that is congruent to the residue. */
static inline ptrdiff_t unisparse_congruent(ptrdiff_t low, ptrdiff_t residue, ptrdiff_t modulus) {
    const ptrdiff_t skipped = (residue - low) % modulus;
    return low + (skipped < 0 ? skipped + modulus : skipped);
}

/* The position of one coordinate below a parent, of which there may be none. */
static inline struct unisparse_range unisparse_child(struct unisparse_range parent, size_t size, size_t offset) {
    const size_t at = parent.start * size + offset;
    struct unisparse_range child = {at, at + 1};
    if (parent.start == parent.end) {
        child.start = child.end = 0;
    }
    return child;
}

/* The ascending coordinates of one fiber, and the first of them that is not passed. */
struct unisparse_keys {
    const char *first;
    /* From one to the next, in bytes. */
    size_t stride;
    size_t start, end, at;
};

static inline struct unisparse_keys unisparse_keys(const void *first, size_t stride, size_t start, size_t end) {
    struct unisparse_keys keys;
    keys.first = (const char *)first;
    keys.stride = stride;
    keys.start = keys.at = start;
    keys.end = end;
    return keys;
}
