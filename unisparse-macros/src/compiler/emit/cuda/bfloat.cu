/* The upper half of a `float`. */
typedef uint16_t unisparse_bf16;

static inline float unisparse_wide_bf16(unisparse_bf16 half) {
    return __uint_as_float((uint32_t)half << 16);
}
