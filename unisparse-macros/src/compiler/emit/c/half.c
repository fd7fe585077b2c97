/* IEEE 754 half precision: one bit of sign, five of the exponent, ten of the fraction. */
typedef uint16_t unisparse_f16;

static inline float unisparse_wide_f16(unisparse_f16 half) {
    uint32_t bits = (uint32_t)(half & 0x7fff) << 13;
    float value;
    memcpy(&value, &bits, sizeof value);
    value *= 0x1p112f;
    memcpy(&bits, &value, sizeof bits);
    if ((half & 0x7c00) == 0x7c00) {
        bits |= 0x7f800000;
    }
    bits |= (uint32_t)(half & 0x8000) << 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}
