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
        if (lanes == 32 && B >= 8 && B >= 8) {
            for (size_t r = 0, r_end = (size_t)unisparse_greater(0, unisparse_lesser((ptrdiff_t)B, (ptrdiff_t)i_extent - ((ptrdiff_t)(B * brow)))); r < r_end; r += 16) {
                const size_t rows = unisparse_min(16, r_end - r);
                for (size_t k = 0, k_end = k_extent; k < k_end; k += 16) {
                    const size_t width = unisparse_min(16, k_end - k);
                    float sums[2][4] = {};
                    for (size_t slot = 0, slot_end = slot_size; slot < slot_end; slot++) {
                        const size_t bcol = unisparse_read(&a->bcol_idx[slot * brow_size + brow]);
                        for (size_t c_2_first = 0, c_2_end = (size_t)unisparse_greater(0, unisparse_lesser((ptrdiff_t)B, (ptrdiff_t)j_extent - ((ptrdiff_t)(B * bcol)))); c_2_first < c_2_end; c_2_first += 16) {
                            uint32_t left_part[4], right_part[2];
                            unisparse_left(left_part, [&](size_t row_step, size_t of) {
                                const size_t c_2 = c_2_first + of;
                                return row_step < rows && c_2 < c_2_end ? unisparse_read(&a->values[((slot * brow_size + brow) * B + (r + row_step)) * B + c_2]) : (uint16_t)0;
                            });
                            #pragma unroll
                            for (unsigned number = 0; number < 2; number++) {
                                unisparse_right(right_part, [&](size_t of, size_t column) {
                                    const size_t c_2 = c_2_first + of;
                                    const size_t step = number * 8 + column;
                                    return c_2 < c_2_end && step < width ? unisparse_read(&b[(B * bcol + c_2) * k_extent + (k + step)]) : (uint16_t)0;
                                });
                                unisparse_multiply_f16(sums[number], left_part, right_part);
                            }
                        }
                    }
                    #pragma unroll
                    for (unsigned number_2 = 0; number_2 < 2; number_2++) {
                        #pragma unroll
                        for (unsigned part = 0; part < 4; part++) {
                            const size_t row = unisparse_row_of(part);
                            const size_t step_2 = number_2 * 8 + unisparse_column_of(part);
                            if (row < rows && step_2 < width) {
                                c[((B * brow + r) * k_extent + k) + row * k_extent + step_2] = sums[number_2][part];
                            }
                        }
                    }
                }
            }
        } else {
            for (size_t r = 0, r_end_2 = (size_t)unisparse_greater(0, unisparse_lesser((ptrdiff_t)B, (ptrdiff_t)i_extent - ((ptrdiff_t)(B * brow)))); r < r_end_2; r += 4) {
                const size_t rows = r_end_2 - r < 4 ? r_end_2 - r : 4;
                {
                    size_t k = 0;
                    const size_t k_end_2 = k_extent;
                    for (; k < k_end_2; k += lanes) {
                        const size_t width = k_end_2 - k < lanes ? k_end_2 - k : lanes;
                        float sums[4];
                        #pragma unroll
                        for (unsigned number_3 = 0; number_3 < 4; number_3++) {
                            sums[number_3] = 0;
                        }
                        for (size_t slot = 0, slot_end_2 = slot_size; slot < slot_end_2; slot++) {
                            const size_t bcol = unisparse_read(&a->bcol_idx[slot * brow_size + brow]);
                            for (size_t c_2 = 0, c_2_end_2 = (size_t)unisparse_greater(0, unisparse_lesser((ptrdiff_t)B, (ptrdiff_t)j_extent - ((ptrdiff_t)(B * bcol)))); c_2 < c_2_end_2; c_2++) {
                                #pragma unroll
                                for (unsigned row_step = 0; row_step < 4; row_step++) {
                                    if (row_step < rows) {
                                        const float value = unisparse_wide_f16(unisparse_read(&a->values[((slot * brow_size + brow) * B + (r + row_step)) * B + c_2]));
                                        #pragma unroll
                                        for (unsigned number_4 = 0; number_4 < 1; number_4++) {
                                            const size_t step = number_4 * lanes + lane;
                                            if (step < width) {
                                                sums[row_step * 1 + number_4] = sums[row_step * 1 + number_4] + value * unisparse_wide_f16(unisparse_read(&b[(B * bcol + c_2) * k_extent + (k + step)]));
                                            }
                                        }
                                    }
                                }
                            }
                        }
                        #pragma unroll
                        for (unsigned row_2 = 0; row_2 < 4; row_2++) {
                            if (row_2 < rows) {
                                #pragma unroll
                                for (unsigned number_5 = 0; number_5 < 1; number_5++) {
                                    const size_t step_3 = number_5 * lanes + lane;
                                    if (step_3 < width) {
                                        c[((B * brow + r) * k_extent + k) + row_2 * (k_extent) + step_3] = sums[row_2 * 1 + number_5];
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

}
