/* The lesser of two elements; of NaN and another, the other. */
static inline ELEMENT unisparse_lesser_NAME(ELEMENT left, ELEMENT right) {
    return left < right || right != right ? left : right;
}

/* The greater of two elements; of NaN and another, the other. */
static inline ELEMENT unisparse_greater_NAME(ELEMENT left, ELEMENT right) {
    return left > right || right != right ? left : right;
}
