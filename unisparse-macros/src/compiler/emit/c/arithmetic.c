#ifdef UNISPARSE_BOOL
static inline ELEMENT unisparse_plus_NAME(ELEMENT left, ELEMENT right) {
    return left | right;
}

static inline ELEMENT unisparse_times_NAME(ELEMENT left, ELEMENT right) {
    return left & right;
}
#else
static inline ELEMENT unisparse_plus_NAME(ELEMENT left, ELEMENT right) {
    return left + right;
}

static inline ELEMENT unisparse_times_NAME(ELEMENT left, ELEMENT right) {
    return left * right;
}
#endif

static inline ELEMENT unisparse_negated_NAME(ELEMENT value) {
    return -value;
}
