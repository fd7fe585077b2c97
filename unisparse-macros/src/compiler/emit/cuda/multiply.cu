
#ifndef UNISPARSE_MULTIPLY_NAME
#define UNISPARSE_MULTIPLY_NAME

/* Adds the product of two matrices to the sums. */
UNISPARSE_DEVICE void unisparse_multiply_NAME(float *sums, const uint32_t *left, const uint32_t *right) {
#ifdef UNISPARSE_CPU
    unisparse_multiply(sums, left, right, [](uint16_t half) { return unisparse_wide_NAME(half); });
#else
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.NAME.NAME.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
#endif
}

#endif
