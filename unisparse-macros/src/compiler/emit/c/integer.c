static inline ELEMENT unisparse_plus_NAME(ELEMENT left, ELEMENT right) {
    return (ELEMENT)((uint64_t)left + (uint64_t)right);
}

static inline ELEMENT unisparse_times_NAME(ELEMENT left, ELEMENT right) {
    return (ELEMENT)((uint64_t)left * (uint64_t)right);
}

static inline ELEMENT unisparse_negated_NAME(ELEMENT value) {
    return (ELEMENT)(0 - (uint64_t)value);
}
