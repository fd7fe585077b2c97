namespace unisparse {

struct spmv_coo_f32_a {
    uint64_t row_count;
    const uint32_t *row_idx;
    const uint32_t *col_idx;
    const float *values;
};

/* `y[i] = A[i, j] * x[j]` where . */

UNISPARSE_KERNEL spmv_coo_f32_zero(float *__restrict__ y, const struct spmv_coo_f32_a given_a, const float *__restrict__ x, const uint64_t given_i_extent, const uint64_t given_j_extent, float *__restrict__ carries, const uint64_t given_worker_count) {
    const size_t i_extent = (size_t)given_i_extent;
    constexpr unsigned lanes = 1;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    for (size_t at = worker; at < i_extent; at += workers) {
        y[at] = 0;
    }
}

UNISPARSE_KERNEL spmv_coo_f32(float *__restrict__ y, const struct spmv_coo_f32_a given_a, const float *__restrict__ x, const uint64_t given_i_extent, const uint64_t given_j_extent, float *__restrict__ carries, const uint64_t given_worker_count) {
    const struct spmv_coo_f32_a *const a = &given_a;
    constexpr unsigned lanes = UNISPARSE_LANES;
    const unsigned lane = threadIdx.x % lanes;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    const struct unisparse_range run = unisparse_chunk(a->row_count, worker, workers);
    const size_t begun = unisparse_continued(run.start, a->row_count, [=](size_t at) { return (size_t)unisparse_read(&a->row_idx[at]); });
    const auto put = [=](size_t key, float part) {
        if (key == begun) {
            carries[worker] = part;
        } else {
            y[key] = y[key] + part;
        }
    };
    struct unisparse_open<float> open = {SIZE_MAX, 0};
    for (size_t first = run.start; first < run.end; first += lanes) {
        const size_t col_position = first + lane;
        size_t key = SIZE_MAX;
        float term = 0;
        if (col_position < run.end) {
            const size_t row = unisparse_read(&a->row_idx[col_position]);
            const size_t col = unisparse_read(&a->col_idx[col_position]);
            const float value = unisparse_read(&a->values[col_position]);
            const float x_item = unisparse_read(&x[col]);
            key = row;
            term = term + value * x_item;
        }
        unisparse_segments<lanes>(key, term, open, [](float left, float right) { return (float)(left + right); }, put);
    }
    if (lane == 0 && open.key != SIZE_MAX) {
        put(open.key, open.sum);
    }
}

UNISPARSE_KERNEL spmv_coo_f32_carries(float *__restrict__ y, const struct spmv_coo_f32_a given_a, const float *__restrict__ x, const uint64_t given_i_extent, const uint64_t given_j_extent, float *__restrict__ carries, const uint64_t given_worker_count) {
    const struct spmv_coo_f32_a *const a = &given_a;
    const size_t worker_count = (size_t)given_worker_count;
    constexpr unsigned lanes = 1;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    const auto started_2 = [=](size_t of_worker_2) { return unisparse_continued(unisparse_chunk(a->row_count, of_worker_2, worker_count).start, a->row_count, [=](size_t at) { return (size_t)unisparse_read(&a->row_idx[at]); }); };
    const auto ended = [=](size_t first, size_t key) { return unisparse_continued_end(first, worker_count, started_2); };
    unisparse_add_carries(y, carries, worker_count, 1, worker, workers, [](float left, float right) { return (float)(left + right); }, started_2, ended);
}

}
