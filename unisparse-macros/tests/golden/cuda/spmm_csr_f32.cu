namespace unisparse {

struct spmm_csr_f32_a {
    const uint32_t *row_ptr;
    const uint32_t *col_idx;
    const float *values;
};

/* `C[i, k] = A[i, j] * B[j, k]` where . */

UNISPARSE_KERNEL spmm_csr_f32(float *__restrict__ c, const struct spmm_csr_f32_a given_a, const float *__restrict__ b, const uint64_t given_i_extent, const uint64_t given_k_extent, const uint64_t given_j_extent, float *__restrict__ carries, const uint64_t given_worker_count) {
    const struct spmm_csr_f32_a *const a = &given_a;
    const size_t i_extent = (size_t)given_i_extent;
    const size_t k_extent = (size_t)given_k_extent;
    constexpr unsigned lanes = UNISPARSE_LANES;
    const unsigned lane = threadIdx.x % lanes;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    for (size_t row = worker, row_end = i_extent; row < row_end; row += workers) {
        {
            size_t k = 0;
            const size_t k_end = k_extent;
            for (; k < k_end && k_end - k >= 4 * lanes; k += 4 * lanes) {
                [[maybe_unused]] const size_t width = 4 * lanes;
                float sums[4];
                #pragma unroll
                for (unsigned number = 0; number < 4; number++) {
                    sums[number] = 0;
                }
                for (size_t col_position = unisparse_read(&a->row_ptr[row]), col_position_end = unisparse_read(&a->row_ptr[row + 1]); col_position < col_position_end; col_position++) {
                    const size_t col = unisparse_read(&a->col_idx[col_position]);
                    const float value = unisparse_read(&a->values[col_position]);
                    #pragma unroll
                    for (unsigned number_2 = 0; number_2 < 4; number_2++) {
                        const size_t step = number_2 * lanes + lane;
                        sums[number_2] = sums[number_2] + value * unisparse_read(&b[col * k_extent + (k + step)]);
                    }
                }
                #pragma unroll
                for (unsigned number_3 = 0; number_3 < 4; number_3++) {
                    const size_t step_2 = number_3 * lanes + lane;
                    c[(row * k_extent + k) + step_2] = sums[number_3];
                }
            }
            for (; k < k_end; k += lanes) {
                const size_t width = k_end - k < lanes ? k_end - k : lanes;
                float sums[1];
                #pragma unroll
                for (unsigned number_4 = 0; number_4 < 1; number_4++) {
                    sums[number_4] = 0;
                }
                for (size_t col_position = unisparse_read(&a->row_ptr[row]), col_position_end_2 = unisparse_read(&a->row_ptr[row + 1]); col_position < col_position_end_2; col_position++) {
                    const size_t col = unisparse_read(&a->col_idx[col_position]);
                    const float value = unisparse_read(&a->values[col_position]);
                    #pragma unroll
                    for (unsigned number_5 = 0; number_5 < 1; number_5++) {
                        const size_t step = number_5 * lanes + lane;
                        if (step < width) {
                            sums[number_5] = sums[number_5] + value * unisparse_read(&b[col * k_extent + (k + step)]);
                        }
                    }
                }
                #pragma unroll
                for (unsigned number_6 = 0; number_6 < 1; number_6++) {
                    const size_t step_3 = number_6 * lanes + lane;
                    if (step_3 < width) {
                        c[(row * k_extent + k) + step_3] = sums[number_6];
                    }
                }
            }
        }
    }
}

UNISPARSE_KERNEL spmm_csr_f32_split(float *__restrict__ c, const struct spmm_csr_f32_a given_a, const float *__restrict__ b, const uint64_t given_i_extent, const uint64_t given_k_extent, const uint64_t given_j_extent, float *__restrict__ carries, const uint64_t given_worker_count) {
    const struct spmm_csr_f32_a *const a = &given_a;
    const size_t i_extent = (size_t)given_i_extent;
    const size_t k_extent = (size_t)given_k_extent;
    constexpr unsigned lanes = UNISPARSE_LANES;
    const unsigned lane = threadIdx.x % lanes;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    const struct unisparse_path path = unisparse_path<lanes>(&a->row_ptr[0], i_extent, worker, workers);
    const size_t begun = path.begun;
    if (begun != SIZE_MAX) {
        for (size_t at = lane; at < k_extent; at += lanes) {
            carries[worker * k_extent + at] = 0;
        }
        unisparse_wait<lanes>();
    }
    for (size_t row = path.row; row < i_extent && unisparse_read(&a->row_ptr[row]) + row < path.end; row++) {
        const size_t low = unisparse_max(unisparse_read(&a->row_ptr[row]), path.entry);
        const size_t high = unisparse_min(unisparse_read(&a->row_ptr[row + 1]), path.end - row);
        float *const into = row == begun ? carries + ((ptrdiff_t)worker - (ptrdiff_t)row) * (ptrdiff_t)k_extent : c;
        {
            size_t k = 0;
            const size_t k_end = k_extent;
            for (; k < k_end && k_end - k >= 4 * lanes; k += 4 * lanes) {
                [[maybe_unused]] const size_t width = 4 * lanes;
                float sums[4];
                #pragma unroll
                for (unsigned number = 0; number < 4; number++) {
                    sums[number] = 0;
                }
                for (size_t col_position = low, col_position_end = high; col_position < col_position_end; col_position++) {
                    const size_t col = unisparse_read(&a->col_idx[col_position]);
                    const float value = unisparse_read(&a->values[col_position]);
                    #pragma unroll
                    for (unsigned number_2 = 0; number_2 < 4; number_2++) {
                        const size_t step = number_2 * lanes + lane;
                        sums[number_2] = sums[number_2] + value * unisparse_read(&b[col * k_extent + (k + step)]);
                    }
                }
                #pragma unroll
                for (unsigned number_3 = 0; number_3 < 4; number_3++) {
                    const size_t step_2 = number_3 * lanes + lane;
                    into[(row * k_extent + k) + step_2] = sums[number_3];
                }
            }
            for (; k < k_end; k += lanes) {
                const size_t width = k_end - k < lanes ? k_end - k : lanes;
                float sums[1];
                #pragma unroll
                for (unsigned number_4 = 0; number_4 < 1; number_4++) {
                    sums[number_4] = 0;
                }
                for (size_t col_position = low, col_position_end_2 = high; col_position < col_position_end_2; col_position++) {
                    const size_t col = unisparse_read(&a->col_idx[col_position]);
                    const float value = unisparse_read(&a->values[col_position]);
                    #pragma unroll
                    for (unsigned number_5 = 0; number_5 < 1; number_5++) {
                        const size_t step = number_5 * lanes + lane;
                        if (step < width) {
                            sums[number_5] = sums[number_5] + value * unisparse_read(&b[col * k_extent + (k + step)]);
                        }
                    }
                }
                #pragma unroll
                for (unsigned number_6 = 0; number_6 < 1; number_6++) {
                    const size_t step_3 = number_6 * lanes + lane;
                    if (step_3 < width) {
                        into[(row * k_extent + k) + step_3] = sums[number_6];
                    }
                }
            }
        }
    }
}

UNISPARSE_KERNEL spmm_csr_f32_split_carries(float *__restrict__ c, const struct spmm_csr_f32_a given_a, const float *__restrict__ b, const uint64_t given_i_extent, const uint64_t given_k_extent, const uint64_t given_j_extent, float *__restrict__ carries, const uint64_t given_worker_count) {
    const struct spmm_csr_f32_a *const a = &given_a;
    const size_t i_extent = (size_t)given_i_extent;
    const size_t k_extent = (size_t)given_k_extent;
    const size_t worker_count = (size_t)given_worker_count;
    constexpr unsigned lanes = 1;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    const auto started_2 = [=](size_t of_worker_2) { return unisparse_path<1>(&a->row_ptr[0], i_extent, of_worker_2, worker_count).begun; };
    const auto ended = [=](size_t first, size_t key) { return unisparse_path_end(&a->row_ptr[0], i_extent, key, worker_count); };
    unisparse_add_carries(c, carries, worker_count, k_extent, worker, workers, [](float left, float right) { return (float)(left + right); }, started_2, ended);
}

}
