namespace unisparse {

struct sampled_csr_f32_a {
    const uint32_t *row_ptr;
    const uint32_t *col_idx;
    const float *values;
};

/* `D[i, j] = A[i, j] * P[i, k] * Q[k, j]` where . */

UNISPARSE_KERNEL sampled_csr_f32(float *__restrict__ d, const struct sampled_csr_f32_a given_a, const float *__restrict__ p, const float *__restrict__ q, const uint64_t given_i_extent, const uint64_t given_j_extent, const uint64_t given_k_extent) {
    const struct sampled_csr_f32_a *const a = &given_a;
    const size_t i_extent = (size_t)given_i_extent;
    const size_t j_extent = (size_t)given_j_extent;
    const size_t k_extent = (size_t)given_k_extent;
    constexpr unsigned lanes = UNISPARSE_LANES;
    const unsigned lane = threadIdx.x % lanes;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    for (size_t row = worker, row_end = i_extent; row < row_end; row += workers) {
        for (size_t at = lane; at < j_extent; at += lanes) {
            d[(row * j_extent) + at] = 0;
        }
        unisparse_wait<lanes>();
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
                    d[row * j_extent + col] = d[row * j_extent + col] + sum;
                }
            }
        }
    }
}

}
