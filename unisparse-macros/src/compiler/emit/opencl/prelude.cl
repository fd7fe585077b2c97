static inline long unisparse_lesser(long left, long right) {
    return left < right ? left : right;
}

static inline long unisparse_greater(long left, long right) {
    return left > right ? left : right;
}

/* The quotient rounded down. The divisor is positive. */
static inline long unisparse_floor(long dividend, long divisor) {
    return dividend / divisor - (dividend % divisor < 0);
}

/* The quotient rounded up, or zero if the dividend is negative. The divisor is positive. */
static inline long unisparse_ceil(long dividend, long divisor) {
    return dividend <= 0 ? 0 : (dividend - 1) / divisor + 1;
}

/* The first number from `low` on that is congruent to the residue. */
static inline long unisparse_congruent(long low, long residue, long modulus) {
    const long skipped = (residue - low) % modulus;
    return low + (skipped < 0 ? skipped + modulus : skipped);
}
