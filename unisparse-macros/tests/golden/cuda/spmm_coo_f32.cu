namespace unisparse {

struct spmm_coo_f32_a {
    uint64_t row_count;
    const uint32_t *row_idx;
    const uint32_t *col_idx;
    const float *values;
};

/* `C[i, k] = A[i, j] * B[j, k]` where . */

UNISPARSE_KERNEL spmm_coo_f32_zero(float *__restrict__ c, const struct spmm_coo_f32_a given_a, const float *__restrict__ b, const uint64_t given_i_extent, const uint64_t given_k_extent, const uint64_t given_j_extent, float *__restrict__ carries, const uint64_t given_worker_count) {
    const size_t i_extent = (size_t)given_i_extent;
    const size_t k_extent = (size_t)given_k_extent;
    constexpr unsigned lanes = 1;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    for (size_t at = worker; at < i_extent * k_extent; at += workers) {
        c[at] = 0;
    }
}

UNISPARSE_KERNEL spmm_coo_f32(float *__restrict__ c, const struct spmm_coo_f32_a given_a, const float *__restrict__ b, const uint64_t given_i_extent, const uint64_t given_k_extent, const uint64_t given_j_extent, float *__restrict__ carries, const uint64_t given_worker_count) {
    const struct spmm_coo_f32_a *const a = &given_a;
    const size_t k_extent = (size_t)given_k_extent;
    constexpr unsigned lanes = UNISPARSE_LANES;
    const unsigned lane = threadIdx.x % lanes;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    const struct unisparse_range run = unisparse_chunk(a->row_count, worker, workers);
    const size_t begun = unisparse_continued(run.start, a->row_count, [=](size_t at) { return (size_t)unisparse_read(&a->row_idx[at]); });
    if (begun != SIZE_MAX) {
        for (size_t at_2 = lane; at_2 < k_extent; at_2 += lanes) {
            carries[worker * k_extent + at_2] = 0;
        }
        unisparse_wait<lanes>();
    }
    for (size_t col_position = run.start; col_position < run.end; col_position++) {
        const size_t row = unisparse_read(&a->row_idx[col_position]);
        const size_t col = unisparse_read(&a->col_idx[col_position]);
        const float value = unisparse_read(&a->values[col_position]);
        float *const into = row == begun ? carries + ((ptrdiff_t)worker - (ptrdiff_t)row) * (ptrdiff_t)k_extent : c;
        for (size_t k = lane, k_end = k_extent; k < k_end; k += lanes) {
            into[row * k_extent + k] = into[row * k_extent + k] + value * unisparse_read(&b[col * k_extent + k]);
        }
        unisparse_wait<lanes>();
    }
}

UNISPARSE_KERNEL spmm_coo_f32_carries(float *__restrict__ c, const struct spmm_coo_f32_a given_a, const float *__restrict__ b, const uint64_t given_i_extent, const uint64_t given_k_extent, const uint64_t given_j_extent, float *__restrict__ carries, const uint64_t given_worker_count) {
    const struct spmm_coo_f32_a *const a = &given_a;
    const size_t k_extent = (size_t)given_k_extent;
    const size_t worker_count = (size_t)given_worker_count;
    constexpr unsigned lanes = 1;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    const auto started_2 = [=](size_t of_worker_2) { return unisparse_continued(unisparse_chunk(a->row_count, of_worker_2, worker_count).start, a->row_count, [=](size_t at) { return (size_t)unisparse_read(&a->row_idx[at]); }); };
    const auto ended = [=](size_t first, size_t key) { return unisparse_continued_end(first, worker_count, started_2); };
    unisparse_add_carries(c, carries, worker_count, k_extent, worker, workers, [](float left, float right) { return (float)(left + right); }, started_2, ended);
}

}
