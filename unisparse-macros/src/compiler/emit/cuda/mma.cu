#ifndef UNISPARSE_MATRICES
#define UNISPARSE_MATRICES

/* Parts of matrices that the lanes of a warp hold for the instruction m16n8k16 (PTX ISA, matrix fragments): of the left
   matrix, 16 rows by 16 columns; of the right one, 16 rows by 8 columns; of the sums, 16 rows by 8 columns. */
template <class Element>
UNISPARSE_DEVICE void unisparse_left(uint32_t *part, Element element) {
    const unsigned lane = threadIdx.x % 32, group = lane / 4, pair = lane % 4 * 2;
#pragma unroll
    for (unsigned at = 0; at < 4; at++) {
        const unsigned row = group + at % 2 * 8, column = pair + at / 2 * 8;
        part[at] = (uint32_t)element(row, column) | (uint32_t)element(row, column + 1) << 16;
    }
}

template <class Element>
UNISPARSE_DEVICE void unisparse_right(uint32_t *part, Element element) {
    const unsigned lane = threadIdx.x % 32, group = lane / 4, pair = lane % 4 * 2;
#pragma unroll
    for (unsigned at = 0; at < 2; at++) {
        const unsigned row = pair + at * 8;
        part[at] = (uint32_t)element(row, group) | (uint32_t)element(row + 1, group) << 16;
    }
}

/* The row and the column of a sum of this lane. */
UNISPARSE_DEVICE size_t unisparse_row_of(unsigned part) {
    return threadIdx.x % 32 / 4 + part / 2 * 8;
}

UNISPARSE_DEVICE size_t unisparse_column_of(unsigned part) {
    return threadIdx.x % 4 * 2 + part % 2;
}

#ifdef UNISPARSE_CPU
/* The same instruction, by shuffles. */
template <class Wide>
UNISPARSE_DEVICE void unisparse_multiply(float *sums, const uint32_t *left, const uint32_t *right, Wide wide) {
    for (unsigned part = 0; part < 4; part++) {
        for (unsigned at = 0; at < 16; at++) {
            const unsigned lane_of_row = threadIdx.x % 32 / 4 * 4 + at % 8 / 2;
            const unsigned lane_of_column = unisparse_column_of(part) * 4 + at % 8 / 2;
            const uint32_t row = __shfl_sync(0xffffffffu, left[part / 2 + at / 8 * 2], lane_of_row, 32);
            const uint32_t column = __shfl_sync(0xffffffffu, right[at / 8], lane_of_column, 32);
            sums[part] += wide((uint16_t)(row >> at % 2 * 16)) * wide((uint16_t)(column >> at % 2 * 16));
        }
    }
}
#endif

#endif
