namespace unisparse {

struct spmm_bcsr_f32_a {
    const uint32_t *brow_ptr;
    const uint32_t *bcol_idx;
    const float *values;
};

/* `C[i, k] = A[i, j] * B[j, k]` where . */

UNISPARSE_KERNEL spmm_bcsr_f32(float *__restrict__ c, const struct spmm_bcsr_f32_a given_a, const float *__restrict__ b, const uint64_t given_i_extent, const uint64_t given_k_extent, const uint64_t given_j_extent, float *__restrict__ carries, const uint64_t given_worker_count) {
    const struct spmm_bcsr_f32_a *const a = &given_a;
    const size_t i_extent = (size_t)given_i_extent;
    const size_t k_extent = (size_t)given_k_extent;
    const size_t j_extent = (size_t)given_j_extent;
    constexpr unsigned lanes = UNISPARSE_LANES;
    const unsigned lane = threadIdx.x % lanes;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    const size_t brow_size = unisparse_ceil(i_extent, R);
    for (size_t brow = worker, brow_end = brow_size; brow < brow_end; brow += workers) {
        for (size_t r = 0, r_end = (size_t)unisparse_greater(0, unisparse_lesser((ptrdiff_t)R, (ptrdiff_t)i_extent - ((ptrdiff_t)(R * brow)))); r < r_end; r += 4) {
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
                    for (size_t bcol_position = unisparse_read(&a->brow_ptr[brow]), bcol_position_end = unisparse_read(&a->brow_ptr[brow + 1]); bcol_position < bcol_position_end; bcol_position++) {
                        const size_t bcol = unisparse_read(&a->bcol_idx[bcol_position]);
                        for (size_t c_2 = 0, c_2_end = (size_t)unisparse_greater(0, unisparse_lesser((ptrdiff_t)C, (ptrdiff_t)j_extent - ((ptrdiff_t)(C * bcol)))); c_2 < c_2_end; c_2++) {
                            #pragma unroll
                            for (unsigned row_step = 0; row_step < 4; row_step++) {
                                if (row_step < rows) {
                                    const float value = unisparse_read(&a->values[(bcol_position * R + (r + row_step)) * C + c_2]);
                                    #pragma unroll
                                    for (unsigned number_2 = 0; number_2 < 1; number_2++) {
                                        const size_t step = number_2 * lanes + lane;
                                        if (step < width) {
                                            sums[row_step * 1 + number_2] = sums[row_step * 1 + number_2] + value * unisparse_read(&b[(C * bcol + c_2) * k_extent + (k + step)]);
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
                                    c[((R * brow + r) * k_extent + k) + row * (k_extent) + step_2] = sums[row * 1 + number_3];
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

UNISPARSE_KERNEL spmm_bcsr_f32_split(float *__restrict__ c, const struct spmm_bcsr_f32_a given_a, const float *__restrict__ b, const uint64_t given_i_extent, const uint64_t given_k_extent, const uint64_t given_j_extent, float *__restrict__ carries, const uint64_t given_worker_count) {
    const struct spmm_bcsr_f32_a *const a = &given_a;
    const size_t i_extent = (size_t)given_i_extent;
    const size_t k_extent = (size_t)given_k_extent;
    const size_t j_extent = (size_t)given_j_extent;
    constexpr unsigned lanes = UNISPARSE_LANES;
    const unsigned lane = threadIdx.x % lanes;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    const size_t brow_size = unisparse_ceil(i_extent, R);
    const struct unisparse_path path = unisparse_path(&a->brow_ptr[0], brow_size, worker, workers);
    const size_t begun = path.begun;
    if (begun != SIZE_MAX) {
        for (size_t at = lane; at < R * k_extent; at += lanes) {
            carries[worker * (R * k_extent) + at] = 0;
        }
        unisparse_wait<lanes>();
    }
    for (size_t brow = path.row; brow < brow_size && unisparse_read(&a->brow_ptr[brow]) + brow < path.end; brow++) {
        const size_t low = unisparse_max(unisparse_read(&a->brow_ptr[brow]), path.entry);
        const size_t high = unisparse_min(unisparse_read(&a->brow_ptr[brow + 1]), path.end - brow);
        float *const into = brow == begun ? carries + ((ptrdiff_t)worker - (ptrdiff_t)brow) * (ptrdiff_t)(R * k_extent) : c;
        for (size_t r = 0, r_end = (size_t)unisparse_greater(0, unisparse_lesser((ptrdiff_t)R, (ptrdiff_t)i_extent - ((ptrdiff_t)(R * brow)))); r < r_end; r += 4) {
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
                    for (size_t bcol_position = low, bcol_position_end = high; bcol_position < bcol_position_end; bcol_position++) {
                        const size_t bcol = unisparse_read(&a->bcol_idx[bcol_position]);
                        for (size_t c_2 = 0, c_2_end = (size_t)unisparse_greater(0, unisparse_lesser((ptrdiff_t)C, (ptrdiff_t)j_extent - ((ptrdiff_t)(C * bcol)))); c_2 < c_2_end; c_2++) {
                            #pragma unroll
                            for (unsigned row_step = 0; row_step < 4; row_step++) {
                                if (row_step < rows) {
                                    const float value = unisparse_read(&a->values[(bcol_position * R + (r + row_step)) * C + c_2]);
                                    #pragma unroll
                                    for (unsigned number_2 = 0; number_2 < 1; number_2++) {
                                        const size_t step = number_2 * lanes + lane;
                                        if (step < width) {
                                            sums[row_step * 1 + number_2] = sums[row_step * 1 + number_2] + value * unisparse_read(&b[(C * bcol + c_2) * k_extent + (k + step)]);
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
                                    into[((R * brow + r) * k_extent + k) + row * (k_extent) + step_2] = sums[row * 1 + number_3];
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

UNISPARSE_KERNEL spmm_bcsr_f32_split_carries(float *__restrict__ c, const struct spmm_bcsr_f32_a given_a, const float *__restrict__ b, const uint64_t given_i_extent, const uint64_t given_k_extent, const uint64_t given_j_extent, float *__restrict__ carries, const uint64_t given_worker_count) {
    const struct spmm_bcsr_f32_a *const a = &given_a;
    const size_t i_extent = (size_t)given_i_extent;
    const size_t k_extent = (size_t)given_k_extent;
    const size_t worker_count = (size_t)given_worker_count;
    constexpr unsigned lanes = 1;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    const size_t brow_size = unisparse_ceil(i_extent, R);
    const auto started = [=](size_t of_worker) { return unisparse_path(&a->brow_ptr[0], brow_size, of_worker, worker_count).begun; };
    unisparse_add_carries(c, carries, worker_count, R * k_extent, worker, workers, [](float left, float right) { return (float)(left + right); }, started);
}

}
