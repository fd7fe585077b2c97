namespace unisparse {

struct product_csr_f32_a {
    const uint32_t *row_ptr;
    const uint32_t *col_idx;
    const float *values;
};

struct product_csr_f32_b {
    const uint32_t *row_ptr;
    const uint32_t *col_idx;
    const float *values;
};

struct product_csr_f32_c {
    size_t *i_idx;
    size_t *j_idx;
    float *values;
};

/* `C[i, j] = A[i, k] * B[k, j]` where . */

UNISPARSE_KERNEL product_csr_f32_rooms(const struct product_csr_f32_c c, const struct product_csr_f32_a given_a, const struct product_csr_f32_b given_b, const uint64_t given_i_extent, const uint64_t given_j_extent, const uint64_t given_k_extent, uint64_t *__restrict__ starts, uint64_t *__restrict__ tables, size_t *__restrict__ table_keys, float *__restrict__ table_sums, const uint64_t given_worker_count) {
    const struct product_csr_f32_a *const a = &given_a;
    const struct product_csr_f32_b *const b = &given_b;
    const size_t i_extent = (size_t)given_i_extent;
    const size_t j_extent = (size_t)given_j_extent;
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
            {
                uint64_t terms = 0;
                {
                    for (size_t col_position = unisparse_read(&a->row_ptr[row]), col_position_end = unisparse_read(&a->row_ptr[row + 1]); col_position < col_position_end; col_position++) {
                        const size_t col = unisparse_read(&a->col_idx[col_position]);
                        const float a_value = unisparse_read(&a->values[col_position]);
                        for (size_t col_position_2 = unisparse_read(&b->row_ptr[col]), col_position_2_end = unisparse_read(&b->row_ptr[col + 1]); col_position_2 < col_position_2_end; col_position_2++) {
                            const size_t col_2 = unisparse_read(&b->col_idx[col_position_2]);
                            const float b_value = unisparse_read(&b->values[col_position_2]);
                            terms++;
                        }
                    }
                }
                const uint64_t places = (uint64_t)j_extent;
                terms = terms < places ? terms : places;
                filled = unisparse_room(terms) > filled ? unisparse_room(terms) : filled;
            }
        }
    }
    if (lane == 0) {
        tables[worker] = filled;
    }
}

UNISPARSE_KERNEL product_csr_f32_tables(const struct product_csr_f32_c c, const struct product_csr_f32_a given_a, const struct product_csr_f32_b given_b, const uint64_t given_i_extent, const uint64_t given_j_extent, const uint64_t given_k_extent, uint64_t *__restrict__ starts, uint64_t *__restrict__ tables, size_t *__restrict__ table_keys, float *__restrict__ table_sums, const uint64_t given_worker_count) {
    const size_t worker_count = (size_t)given_worker_count;
    __shared__ uint64_t totals[UNISPARSE_THREADS];
    unisparse_scan(tables, worker_count, totals);
}

UNISPARSE_KERNEL product_csr_f32_count(const struct product_csr_f32_c c, const struct product_csr_f32_a given_a, const struct product_csr_f32_b given_b, const uint64_t given_i_extent, const uint64_t given_j_extent, const uint64_t given_k_extent, uint64_t *__restrict__ starts, uint64_t *__restrict__ tables, size_t *__restrict__ table_keys, float *__restrict__ table_sums, const uint64_t given_worker_count) {
    const struct product_csr_f32_a *const a = &given_a;
    const struct product_csr_f32_b *const b = &given_b;
    const size_t i_extent = (size_t)given_i_extent;
    const size_t j_extent = (size_t)given_j_extent;
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
            {
                uint64_t terms = 0;
                {
                    for (size_t col_position = unisparse_read(&a->row_ptr[row]), col_position_end = unisparse_read(&a->row_ptr[row + 1]); col_position < col_position_end; col_position++) {
                        const size_t col = unisparse_read(&a->col_idx[col_position]);
                        const float a_value = unisparse_read(&a->values[col_position]);
                        for (size_t col_position_2 = unisparse_read(&b->row_ptr[col]), col_position_2_end = unisparse_read(&b->row_ptr[col + 1]); col_position_2 < col_position_2_end; col_position_2++) {
                            const size_t col_2 = unisparse_read(&b->col_idx[col_position_2]);
                            const float b_value = unisparse_read(&b->values[col_position_2]);
                            terms++;
                        }
                    }
                }
                const uint64_t places = (uint64_t)j_extent;
                terms = terms < places ? terms : places;
                const size_t table_mask = (size_t)(unisparse_room(terms) - 1);
                size_t *const own_keys = table_keys + tables[worker];
                unisparse_clear<lanes>(own_keys, table_mask);
                size_t inserted = 0;
                for (size_t col_position = unisparse_read(&a->row_ptr[row]), col_position_end_2 = unisparse_read(&a->row_ptr[row + 1]); col_position < col_position_end_2; col_position++) {
                    const size_t col = unisparse_read(&a->col_idx[col_position]);
                    const float a_value = unisparse_read(&a->values[col_position]);
                    for (size_t col_position_2 = unisparse_read(&b->row_ptr[col]) + lane, col_position_2_end_2 = unisparse_read(&b->row_ptr[col + 1]); col_position_2 < col_position_2_end_2; col_position_2 += lanes) {
                        const size_t col_2 = unisparse_read(&b->col_idx[col_position_2]);
                        const float b_value = unisparse_read(&b->values[col_position_2]);
                        inserted += unisparse_insert_key(own_keys, table_mask, col_2).is_new;
                    }
                    unisparse_wait<lanes>();
                }
                inserted = unisparse_reduced<lanes>(inserted, [](size_t left, size_t right) { return left + right; });
                unisparse_wait<lanes>();
                filled += inserted;
            }
        }
    }
    if (lane == 0) {
        starts[worker] = filled;
    }
}

UNISPARSE_KERNEL product_csr_f32_starts(const struct product_csr_f32_c c, const struct product_csr_f32_a given_a, const struct product_csr_f32_b given_b, const uint64_t given_i_extent, const uint64_t given_j_extent, const uint64_t given_k_extent, uint64_t *__restrict__ starts, uint64_t *__restrict__ tables, size_t *__restrict__ table_keys, float *__restrict__ table_sums, const uint64_t given_worker_count) {
    const size_t worker_count = (size_t)given_worker_count;
    __shared__ uint64_t totals[UNISPARSE_THREADS];
    unisparse_scan(starts, worker_count, totals);
}

UNISPARSE_KERNEL product_csr_f32_fill(const struct product_csr_f32_c c, const struct product_csr_f32_a given_a, const struct product_csr_f32_b given_b, const uint64_t given_i_extent, const uint64_t given_j_extent, const uint64_t given_k_extent, uint64_t *__restrict__ starts, uint64_t *__restrict__ tables, size_t *__restrict__ table_keys, float *__restrict__ table_sums, const uint64_t given_worker_count) {
    const struct product_csr_f32_a *const a = &given_a;
    const struct product_csr_f32_b *const b = &given_b;
    const size_t i_extent = (size_t)given_i_extent;
    const size_t j_extent = (size_t)given_j_extent;
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
            {
                uint64_t terms = 0;
                {
                    for (size_t col_position = unisparse_read(&a->row_ptr[row]), col_position_end = unisparse_read(&a->row_ptr[row + 1]); col_position < col_position_end; col_position++) {
                        const size_t col = unisparse_read(&a->col_idx[col_position]);
                        const float a_value = unisparse_read(&a->values[col_position]);
                        for (size_t col_position_2 = unisparse_read(&b->row_ptr[col]), col_position_2_end = unisparse_read(&b->row_ptr[col + 1]); col_position_2 < col_position_2_end; col_position_2++) {
                            const size_t col_2 = unisparse_read(&b->col_idx[col_position_2]);
                            const float b_value = unisparse_read(&b->values[col_position_2]);
                            terms++;
                        }
                    }
                }
                const uint64_t places = (uint64_t)j_extent;
                terms = terms < places ? terms : places;
                const size_t table_mask = (size_t)(unisparse_room(terms) - 1);
                size_t *const own_keys = table_keys + tables[worker];
                float *const own_sums = table_sums + tables[worker];
                unisparse_clear<lanes>(own_keys, table_mask);
                size_t inserted = 0;
                for (size_t col_position = unisparse_read(&a->row_ptr[row]), col_position_end_2 = unisparse_read(&a->row_ptr[row + 1]); col_position < col_position_end_2; col_position++) {
                    const size_t col = unisparse_read(&a->col_idx[col_position]);
                    const float a_value = unisparse_read(&a->values[col_position]);
                    for (size_t col_position_2 = unisparse_read(&b->row_ptr[col]) + lane, col_position_2_end_2 = unisparse_read(&b->row_ptr[col + 1]); col_position_2 < col_position_2_end_2; col_position_2 += lanes) {
                        const size_t col_2 = unisparse_read(&b->col_idx[col_position_2]);
                        const float b_value = unisparse_read(&b->values[col_position_2]);
                        inserted += unisparse_insert(own_keys, own_sums, table_mask, col_2, (float)(a_value * b_value), [](float left, float right) { return (float)(left + right); });
                    }
                    unisparse_wait<lanes>();
                }
                inserted = unisparse_reduced<lanes>(inserted, [](size_t left, size_t right) { return left + right; });
                unisparse_wait<lanes>();
                unisparse_sort<lanes>(own_keys, own_sums, table_mask);
                for (size_t at = lane; at < inserted; at += lanes) {
                    const size_t key = own_keys[at];
                    c.i_idx[filled + at] = row;
                    c.j_idx[filled + at] = key;
                    c.values[filled + at] = own_sums[at];
                }
                unisparse_wait<lanes>();
                filled += inserted;
            }
        }
    }
}

}
