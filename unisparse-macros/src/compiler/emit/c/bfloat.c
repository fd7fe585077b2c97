/* The upper half of a `float`. */
typedef uint16_t unisparse_bf16;

static inline float unisparse_wide_bf16(unisparse_bf16 half) {
    const uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
