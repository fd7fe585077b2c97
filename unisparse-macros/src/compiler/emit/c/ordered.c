static inline ELEMENT unisparse_lesser_NAME(ELEMENT left, ELEMENT right) {
    return left < right ? left : right;
}

static inline ELEMENT unisparse_greater_NAME(ELEMENT left, ELEMENT right) {
    return left > right ? left : right;
}
