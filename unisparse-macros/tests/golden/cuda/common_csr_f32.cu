namespace unisparse {

struct common_csr_f32_a {
    const uint32_t *row_ptr;
    const uint32_t *col_idx;
    const float *values;
};

struct common_csr_f32_s {
    size_t *i_idx;
    size_t *j_idx;
    float *values;
};

/* `S[i, j] = A[i, j] * P[i, k] * Q[k, j]` where . */

UNISPARSE_KERNEL common_csr_f32_count(const struct common_csr_f32_s s, const struct common_csr_f32_a given_a, const float *__restrict__ p, const float *__restrict__ q, const uint64_t given_i_extent, const uint64_t given_j_extent, const uint64_t given_k_extent, uint64_t *__restrict__ starts, const uint64_t given_worker_count) {
    const struct common_csr_f32_a *const a = &given_a;
    const size_t i_extent = (size_t)given_i_extent;
    constexpr unsigned lanes = UNISPARSE_LANES;
    const unsigned lane = threadIdx.x % lanes;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    uint64_t filled = 0;
    {
        const size_t low = 0;
        const size_t high = i_extent;
        const struct unisparse_range own = unisparse_chunk(low < high ? (size_t)(high - low) : 0, worker, workers);
        for (size_t row = low + (size_t)own.start, row_end = low + (size_t)own.end; row < row_end; row++) {
            for (size_t col_position = unisparse_read(&a->row_ptr[row]), col_position_end = unisparse_read(&a->row_ptr[row + 1]); col_position < col_position_end; col_position++) {
                const size_t col = unisparse_read(&a->col_idx[col_position]);
                const float value = unisparse_read(&a->values[col_position]);
                {
                    filled++;
                }
            }
        }
    }
    if (lane == 0) {
        starts[worker] = filled;
    }
}

UNISPARSE_KERNEL common_csr_f32_starts(const struct common_csr_f32_s s, const struct common_csr_f32_a given_a, const float *__restrict__ p, const float *__restrict__ q, const uint64_t given_i_extent, const uint64_t given_j_extent, const uint64_t given_k_extent, uint64_t *__restrict__ starts, const uint64_t given_worker_count) {
    const size_t worker_count = (size_t)given_worker_count;
    __shared__ uint64_t totals[UNISPARSE_THREADS];
    unisparse_scan(starts, worker_count, totals);
}

UNISPARSE_KERNEL common_csr_f32_fill(const struct common_csr_f32_s s, const struct common_csr_f32_a given_a, const float *__restrict__ p, const float *__restrict__ q, const uint64_t given_i_extent, const uint64_t given_j_extent, const uint64_t given_k_extent, uint64_t *__restrict__ starts, const uint64_t given_worker_count) {
    const struct common_csr_f32_a *const a = &given_a;
    const size_t i_extent = (size_t)given_i_extent;
    const size_t j_extent = (size_t)given_j_extent;
    const size_t k_extent = (size_t)given_k_extent;
    constexpr unsigned lanes = UNISPARSE_LANES;
    const unsigned lane = threadIdx.x % lanes;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    uint64_t filled = starts[worker];
    {
        const size_t low = 0;
        const size_t high = i_extent;
        const struct unisparse_range own = unisparse_chunk(low < high ? (size_t)(high - low) : 0, worker, workers);
        for (size_t row = low + (size_t)own.start, row_end = low + (size_t)own.end; row < row_end; row++) {
            for (size_t col_position = unisparse_read(&a->row_ptr[row]), col_position_end = unisparse_read(&a->row_ptr[row + 1]); col_position < col_position_end; col_position++) {
                const size_t col = unisparse_read(&a->col_idx[col_position]);
                const float value = unisparse_read(&a->values[col_position]);
                {
                    float sum = 0;
                    for (size_t k = lane, k_end = k_extent; k < k_end; k += lanes) {
                        sum = sum + value * unisparse_read(&p[row * k_extent + k]) * unisparse_read(&q[k * j_extent + col]);
                    }
                    sum = unisparse_reduced<lanes>(sum, [](float left, float right) { return (float)(left + right); });
                    if (lane == 0) {
                        s.i_idx[filled] = row;
                        s.j_idx[filled] = col;
                        s.values[filled] = sum;
                    }
                    filled++;
                }
            }
        }
    }
}

}
