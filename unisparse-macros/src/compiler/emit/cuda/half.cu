/* IEEE 754 half precision: one bit of sign, five of the exponent, ten of the fraction. */
typedef uint16_t unisparse_f16;

static inline float unisparse_wide_f16(unisparse_f16 half) {
#ifdef UNISPARSE_CPU
    return unisparse_cpu::wide_half(half);
#else
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
#endif
}
