namespace unisparse {

struct spmv_coo_f32_a {
    uint64_t row_count;
    const uint32_t *row_idx;
    const uint32_t *col_idx;
    const float *values;
};

/* `y[i] = A[i, j] * x[j]` where . */

UNISPARSE_KERNEL spmv_coo_f32_zero(float *__restrict__ y, const struct spmv_coo_f32_a given_a, const float *__restrict__ x, const uint64_t given_i_extent, const uint64_t given_j_extent) {
    const size_t i_extent = (size_t)given_i_extent;
    constexpr unsigned lanes = 1;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    for (size_t at = worker; at < i_extent; at += workers) {
        y[at] = 0;
    }
}

UNISPARSE_KERNEL spmv_coo_f32(float *__restrict__ y, const struct spmv_coo_f32_a given_a, const float *__restrict__ x, const uint64_t given_i_extent, const uint64_t given_j_extent) {
    const struct spmv_coo_f32_a *const a = &given_a;
    constexpr unsigned lanes = 1;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    for (size_t col_position = worker, col_position_end = a->row_count; col_position < col_position_end; col_position += workers) {
        const size_t row = unisparse_read(&a->row_idx[col_position]);
        const size_t col = unisparse_read(&a->col_idx[col_position]);
        const float value = unisparse_read(&a->values[col_position]);
        const float x_item = unisparse_read(&x[col]);
        unisparse_atomic_plus(&y[row], value * x_item);
    }
}

}
