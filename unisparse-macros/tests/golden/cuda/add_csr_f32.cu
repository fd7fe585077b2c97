namespace unisparse {

struct add_csr_f32_a {
    const uint32_t *row_ptr;
    const uint32_t *col_idx;
    const float *values;
};

struct add_csr_f32_b {
    const uint32_t *row_ptr;
    const uint32_t *col_idx;
    const float *values;
};

struct add_csr_f32_c {
    size_t *i_idx;
    size_t *j_idx;
    float *values;
};

/* `C[i, j] = A[i, j] + B[i, j]` where . */

UNISPARSE_KERNEL add_csr_f32_count(const struct add_csr_f32_c c, const struct add_csr_f32_a given_a, const struct add_csr_f32_b given_b, const uint64_t given_i_extent, const uint64_t given_j_extent, uint64_t *__restrict__ starts, const uint64_t given_worker_count) {
    const struct add_csr_f32_a *const a = &given_a;
    const struct add_csr_f32_b *const b = &given_b;
    const size_t i_extent = (size_t)given_i_extent;
    constexpr unsigned lanes = 1;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    uint64_t filled = 0;
    {
        const size_t low = 0;
        const size_t high = i_extent;
        const struct unisparse_range own = unisparse_chunk(low < high ? (size_t)(high - low) : 0, worker, workers);
        for (size_t i = low + (size_t)own.start, i_end = low + (size_t)own.end; i < i_end; i++) {
            {
                struct unisparse_keys cursor = unisparse_keys(&a->col_idx[0], sizeof *a->col_idx, unisparse_read(&a->row_ptr[i]), unisparse_read(&a->row_ptr[i + 1]));
                struct unisparse_keys cursor_2 = unisparse_keys(&b->col_idx[0], sizeof *b->col_idx, unisparse_read(&b->row_ptr[i]), unisparse_read(&b->row_ptr[i + 1]));
                for (;;) {
                    const ptrdiff_t next = unisparse_lesser(unisparse_next_u32(&cursor), unisparse_next_u32(&cursor_2));
                    if (next == PTRDIFF_MAX) {
                        break;
                    }
                    const struct unisparse_range a_j_at = unisparse_take_u32(&cursor, next);
                    const struct unisparse_range b_j_at = unisparse_take_u32(&cursor_2, next);
                    const size_t j = next;
                    {
                        const bool is = a_j_at.start < a_j_at.end;
                        const float value = is ? unisparse_read(&a->values[a_j_at.start]) : 0;
                        const bool is_2 = b_j_at.start < b_j_at.end;
                        const float value_2 = is_2 ? unisparse_read(&b->values[b_j_at.start]) : 0;
                        const bool is_3 = (is) || (is_2);
                        const float value_3 = !(is_2) ? value : is ? value + value_2 : value_2;
                        if (is_3) {
                            filled++;
                        }
                    }
                }
            }
        }
    }
    starts[worker] = filled;
}

UNISPARSE_KERNEL add_csr_f32_starts(const struct add_csr_f32_c c, const struct add_csr_f32_a given_a, const struct add_csr_f32_b given_b, const uint64_t given_i_extent, const uint64_t given_j_extent, uint64_t *__restrict__ starts, const uint64_t given_worker_count) {
    const size_t worker_count = (size_t)given_worker_count;
    __shared__ uint64_t totals[UNISPARSE_THREADS];
    unisparse_scan(starts, worker_count, totals);
}

UNISPARSE_KERNEL add_csr_f32_fill(const struct add_csr_f32_c c, const struct add_csr_f32_a given_a, const struct add_csr_f32_b given_b, const uint64_t given_i_extent, const uint64_t given_j_extent, uint64_t *__restrict__ starts, const uint64_t given_worker_count) {
    const struct add_csr_f32_a *const a = &given_a;
    const struct add_csr_f32_b *const b = &given_b;
    const size_t i_extent = (size_t)given_i_extent;
    constexpr unsigned lanes = 1;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    uint64_t filled = starts[worker];
    {
        const size_t low = 0;
        const size_t high = i_extent;
        const struct unisparse_range own = unisparse_chunk(low < high ? (size_t)(high - low) : 0, worker, workers);
        for (size_t i = low + (size_t)own.start, i_end = low + (size_t)own.end; i < i_end; i++) {
            {
                struct unisparse_keys cursor = unisparse_keys(&a->col_idx[0], sizeof *a->col_idx, unisparse_read(&a->row_ptr[i]), unisparse_read(&a->row_ptr[i + 1]));
                struct unisparse_keys cursor_2 = unisparse_keys(&b->col_idx[0], sizeof *b->col_idx, unisparse_read(&b->row_ptr[i]), unisparse_read(&b->row_ptr[i + 1]));
                for (;;) {
                    const ptrdiff_t next = unisparse_lesser(unisparse_next_u32(&cursor), unisparse_next_u32(&cursor_2));
                    if (next == PTRDIFF_MAX) {
                        break;
                    }
                    const struct unisparse_range a_j_at = unisparse_take_u32(&cursor, next);
                    const struct unisparse_range b_j_at = unisparse_take_u32(&cursor_2, next);
                    const size_t j = next;
                    {
                        const bool is = a_j_at.start < a_j_at.end;
                        const float value = is ? unisparse_read(&a->values[a_j_at.start]) : 0;
                        const bool is_2 = b_j_at.start < b_j_at.end;
                        const float value_2 = is_2 ? unisparse_read(&b->values[b_j_at.start]) : 0;
                        const bool is_3 = (is) || (is_2);
                        const float value_3 = !(is_2) ? value : is ? value + value_2 : value_2;
                        if (is_3) {
                            c.i_idx[filled] = i;
                            c.j_idx[filled] = j;
                            c.values[filled] = value_3;
                            filled++;
                        }
                    }
                }
            }
        }
    }
}

}
