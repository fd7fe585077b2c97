namespace unisparse {

struct spmv_csr_f32_a {
    const uint32_t *row_ptr;
    const uint32_t *col_idx;
    const float *values;
};

/* `y[i] = A[i, j] * x[j]` where . */

UNISPARSE_KERNEL spmv_csr_f32(float *__restrict__ y, const struct spmv_csr_f32_a given_a, const float *__restrict__ x, const uint64_t given_i_extent, const uint64_t given_j_extent, float *__restrict__ carries, const uint64_t given_worker_count) {
    const struct spmv_csr_f32_a *const a = &given_a;
    const size_t i_extent = (size_t)given_i_extent;
    constexpr unsigned lanes = UNISPARSE_LANES;
    const unsigned lane = threadIdx.x % lanes;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    for (size_t row = worker, row_end = i_extent; row < row_end; row += workers) {
        {
            float sum = 0;
            for (size_t col_position = unisparse_read(&a->row_ptr[row]) + lane, col_position_end = unisparse_read(&a->row_ptr[row + 1]); col_position < col_position_end; col_position += lanes) {
                const size_t col = unisparse_read(&a->col_idx[col_position]);
                const float value = unisparse_read(&a->values[col_position]);
                const float x_item = unisparse_read(&x[col]);
                sum = sum + value * x_item;
            }
            sum = unisparse_reduced<lanes>(sum, [](float left, float right) { return (float)(left + right); });
            if (lane == 0) {
                y[row] = sum;
            }
        }
    }
}

UNISPARSE_KERNEL spmv_csr_f32_split(float *__restrict__ y, const struct spmv_csr_f32_a given_a, const float *__restrict__ x, const uint64_t given_i_extent, const uint64_t given_j_extent, float *__restrict__ carries, const uint64_t given_worker_count) {
    const struct spmv_csr_f32_a *const a = &given_a;
    const size_t i_extent = (size_t)given_i_extent;
    constexpr unsigned lanes = UNISPARSE_LANES;
    const unsigned lane = threadIdx.x % lanes;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    const struct unisparse_path path = unisparse_path<lanes>(&a->row_ptr[0], i_extent, worker, workers);
    const size_t begun = path.begun;
    if (begun != SIZE_MAX) {
        for (size_t at = lane; at < 1; at += lanes) {
            carries[worker * 1 + at] = 0;
        }
        unisparse_wait<lanes>();
    }
    for (size_t row = path.row; row < i_extent && unisparse_read(&a->row_ptr[row]) + row < path.end; row++) {
        const size_t low = unisparse_max(unisparse_read(&a->row_ptr[row]), path.entry);
        const size_t high = unisparse_min(unisparse_read(&a->row_ptr[row + 1]), path.end - row);
        float *const into = row == begun ? carries + ((ptrdiff_t)worker - (ptrdiff_t)row) * (ptrdiff_t)1 : y;
        {
            float sum = 0;
            for (size_t col_position = low + lane, col_position_end = high; col_position < col_position_end; col_position += lanes) {
                const size_t col = unisparse_read(&a->col_idx[col_position]);
                const float value = unisparse_read(&a->values[col_position]);
                const float x_item = unisparse_read(&x[col]);
                sum = sum + value * x_item;
            }
            sum = unisparse_reduced<lanes>(sum, [](float left, float right) { return (float)(left + right); });
            if (lane == 0) {
                into[row] = sum;
            }
        }
    }
}

UNISPARSE_KERNEL spmv_csr_f32_split_carries(float *__restrict__ y, const struct spmv_csr_f32_a given_a, const float *__restrict__ x, const uint64_t given_i_extent, const uint64_t given_j_extent, float *__restrict__ carries, const uint64_t given_worker_count) {
    const struct spmv_csr_f32_a *const a = &given_a;
    const size_t i_extent = (size_t)given_i_extent;
    const size_t worker_count = (size_t)given_worker_count;
    constexpr unsigned lanes = 1;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    const auto started_2 = [=](size_t of_worker_2) { return unisparse_path<1>(&a->row_ptr[0], i_extent, of_worker_2, worker_count).begun; };
    const auto ended = [=](size_t first, size_t key) { return unisparse_path_end(&a->row_ptr[0], i_extent, key, worker_count); };
    unisparse_add_carries(y, carries, worker_count, 1, worker, workers, [](float left, float right) { return (float)(left + right); }, started_2, ended);
}

}
