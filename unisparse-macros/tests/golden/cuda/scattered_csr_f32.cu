namespace unisparse {

struct scattered_csr_f32_a {
    const uint32_t *row_ptr;
    const uint32_t *col_idx;
    const float *values;
};

/* `y[j] = A[i, j] * x[i]` where . */

UNISPARSE_KERNEL scattered_csr_f32_zero(float *__restrict__ y, const struct scattered_csr_f32_a given_a, const float *__restrict__ x, const uint64_t given_j_extent, const uint64_t given_i_extent) {
    const size_t j_extent = (size_t)given_j_extent;
    constexpr unsigned lanes = 1;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    for (size_t at = worker; at < j_extent; at += workers) {
        y[at] = 0;
    }
}

UNISPARSE_KERNEL scattered_csr_f32(float *__restrict__ y, const struct scattered_csr_f32_a given_a, const float *__restrict__ x, const uint64_t given_j_extent, const uint64_t given_i_extent) {
    const struct scattered_csr_f32_a *const a = &given_a;
    const size_t i_extent = (size_t)given_i_extent;
    constexpr unsigned lanes = UNISPARSE_LANES;
    const unsigned lane = threadIdx.x % lanes;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    for (size_t row = worker, row_end = i_extent; row < row_end; row += workers) {
        const float x_item = unisparse_read(&x[row]);
        for (size_t col_position = unisparse_read(&a->row_ptr[row]) + lane, col_position_end = unisparse_read(&a->row_ptr[row + 1]); col_position < col_position_end; col_position += lanes) {
            const size_t col = unisparse_read(&a->col_idx[col_position]);
            const float value = unisparse_read(&a->values[col_position]);
            unisparse_atomic_plus(&y[col], value * x_item);
        }
        unisparse_wait<lanes>();
    }
}

}
