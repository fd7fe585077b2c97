namespace unisparse {

struct spmm_bell_f16_a {
    uint64_t slot_size;
    const uint32_t *bcol_idx;
    const unisparse_f16 *values;
};

/* `C[i, k] = A[i, j] * B[j, k]` where . */

UNISPARSE_KERNEL spmm_bell_f16(float *__restrict__ c, const struct spmm_bell_f16_a given_a, const unisparse_f16 *__restrict__ b, const uint64_t given_i_extent, const uint64_t given_k_extent, const uint64_t given_j_extent) {
    const struct spmm_bell_f16_a *const a = &given_a;
    const size_t i_extent = (size_t)given_i_extent;
    const size_t k_extent = (size_t)given_k_extent;
    const size_t j_extent = (size_t)given_j_extent;
    constexpr unsigned lanes = UNISPARSE_LANES;
    const unsigned lane = threadIdx.x % lanes;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    const size_t slot_size = a->slot_size;
    const size_t brow_size = unisparse_ceil(i_extent, B);
    for (size_t brow = worker, brow_end = brow_size; brow < brow_end; brow += workers) {
        for (size_t r = 0, r_end = (size_t)unisparse_greater(0, unisparse_lesser((ptrdiff_t)B, (ptrdiff_t)i_extent - ((ptrdiff_t)(B * brow)))); r < r_end; r += 4) {
            const size_t rows = r_end - r < 4 ? r_end - r : 4;
            {
                size_t k = 0;
                const size_t k_end = k_extent;
                for (; k < k_end; k += lanes) {
                    const size_t width = k_end - k < lanes ? k_end - k : lanes;
                    float sums[4];
                    #pragma unroll
                    for (unsigned number = 0; number < 4; number++) {
                        sums[number] = 0;
                    }
                    for (size_t slot = 0, slot_end = slot_size; slot < slot_end; slot++) {
                        const size_t bcol = unisparse_read(&a->bcol_idx[slot * brow_size + brow]);
                        for (size_t c_2 = 0, c_2_end = (size_t)unisparse_greater(0, unisparse_lesser((ptrdiff_t)B, (ptrdiff_t)j_extent - ((ptrdiff_t)(B * bcol)))); c_2 < c_2_end; c_2++) {
                            #pragma unroll
                            for (unsigned row_step = 0; row_step < 4; row_step++) {
                                if (row_step < rows) {
                                    const float value = unisparse_wide_f16(unisparse_read(&a->values[((slot * brow_size + brow) * B + (r + row_step)) * B + c_2]));
                                    #pragma unroll
                                    for (unsigned number_2 = 0; number_2 < 1; number_2++) {
                                        const size_t step = number_2 * lanes + lane;
                                        if (step < width) {
                                            sums[row_step * 1 + number_2] = sums[row_step * 1 + number_2] + value * unisparse_wide_f16(unisparse_read(&b[(B * bcol + c_2) * k_extent + (k + step)]));
                                        }
                                    }
                                }
                            }
                        }
                    }
                    #pragma unroll
                    for (unsigned row = 0; row < 4; row++) {
                        if (row < rows) {
                            #pragma unroll
                            for (unsigned number_3 = 0; number_3 < 1; number_3++) {
                                const size_t step_2 = number_3 * lanes + lane;
                                if (step_2 < width) {
                                    c[((B * brow + r) * k_extent + k) + row * (k_extent) + step_2] = sums[row * 1 + number_3];
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

}
