namespace unisparse {

struct spmv_dia_f32_a {
    uint64_t diag_count;
    const int32_t *diag_idx;
    const float *values;
};

/* `y[i] = A[i, j] * x[j]` where . */

UNISPARSE_KERNEL spmv_dia_f32(float *__restrict__ y, const struct spmv_dia_f32_a given_a, const float *__restrict__ x, const uint64_t given_i_extent, const uint64_t given_j_extent) {
    const struct spmv_dia_f32_a *const a = &given_a;
    const size_t i_extent = (size_t)given_i_extent;
    const size_t j_extent = (size_t)given_j_extent;
    constexpr unsigned lanes = UNISPARSE_LANES;
    const unsigned lane = threadIdx.x % lanes;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    for (size_t row = worker * lanes, row_end = i_extent; row < row_end; row += workers * lanes) {
        const size_t width = row_end - row < lanes ? row_end - row : lanes;
        float sums[1];
        #pragma unroll
        for (unsigned number = 0; number < 1; number++) {
            sums[number] = 0;
        }
        for (size_t diag_position = 0, diag_position_end = a->diag_count; diag_position < diag_position_end; diag_position++) {
            const ptrdiff_t diag = unisparse_read(&a->diag_idx[diag_position]);
            #pragma unroll
            for (unsigned number_2 = 0; number_2 < 1; number_2++) {
                const size_t step = number_2 * lanes + lane;
                if ((ptrdiff_t)step >= -diag - (ptrdiff_t)row && step < width && (ptrdiff_t)step < (ptrdiff_t)j_extent - diag - (ptrdiff_t)row) {
                    sums[number_2] = sums[number_2] + unisparse_read(&a->values[diag_position * i_extent + (row + step)]) * unisparse_read(&x[(size_t)(diag + ((ptrdiff_t)row + (ptrdiff_t)step))]);
                }
            }
        }
        #pragma unroll
        for (unsigned number_3 = 0; number_3 < 1; number_3++) {
            const size_t step_2 = number_3 * lanes + lane;
            if (step_2 < width) {
                y[row + step_2] = sums[number_3];
            }
        }
    }
}

}
