namespace unisparse {

struct dot_csr_f32_a {
    const uint32_t *row_ptr;
    const uint32_t *col_idx;
    const float *values;
};

struct dot_csr_f32_b {
    const uint32_t *row_ptr;
    const uint32_t *col_idx;
    const float *values;
};

/* `t = A[i, j] * B[i, j]` where . */

UNISPARSE_KERNEL dot_csr_f32_start(float *__restrict__ t, const struct dot_csr_f32_a given_a, const struct dot_csr_f32_b given_b, const uint64_t given_i_extent, const uint64_t given_j_extent, float *__restrict__ partials, const uint64_t given_partial_count) {
    constexpr unsigned lanes = 1;
    const size_t worker = unisparse_worker<lanes>();
    if (worker == 0) {
        *t = 0;
    }
}

UNISPARSE_KERNEL dot_csr_f32(float *__restrict__ t, const struct dot_csr_f32_a given_a, const struct dot_csr_f32_b given_b, const uint64_t given_i_extent, const uint64_t given_j_extent, float *__restrict__ partials, const uint64_t given_partial_count) {
    const struct dot_csr_f32_a *const a = &given_a;
    const struct dot_csr_f32_b *const b = &given_b;
    const size_t i_extent = (size_t)given_i_extent;
    constexpr unsigned lanes = 1;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    float total = 0;
    {
        float sum = 0;
        for (size_t row = worker, row_end = i_extent; row < row_end; row += workers) {
            {
                struct unisparse_keys cursor = unisparse_keys(&a->col_idx[0], sizeof *a->col_idx, unisparse_read(&a->row_ptr[row]), unisparse_read(&a->row_ptr[row + 1]));
                struct unisparse_keys cursor_2 = unisparse_keys(&b->col_idx[0], sizeof *b->col_idx, unisparse_read(&b->row_ptr[row]), unisparse_read(&b->row_ptr[row + 1]));
                for (;;) {
                    const ptrdiff_t next = unisparse_greater(unisparse_next_u32(&cursor), unisparse_next_u32(&cursor_2));
                    if (next == PTRDIFF_MAX) {
                        break;
                    }
                    if (unisparse_seek_u32(&cursor, next) && unisparse_seek_u32(&cursor_2, next)) {
                        const size_t col_position = cursor.at++;
                        const size_t col_position_2 = cursor_2.at++;
                        sum = sum + unisparse_read(&a->values[col_position]) * unisparse_read(&b->values[col_position_2]);
                    }
                }
            }
        }
        total = total + sum;
    }
    __shared__ float totals[UNISPARSE_THREADS / 32];
    total = unisparse_block_reduced(total, totals, [](float left, float right) { return (float)(left + right); });
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = total;
    }
}

UNISPARSE_KERNEL dot_csr_f32_total(float *__restrict__ t, const struct dot_csr_f32_a given_a, const struct dot_csr_f32_b given_b, const uint64_t given_i_extent, const uint64_t given_j_extent, float *__restrict__ partials, const uint64_t given_partial_count) {
    const size_t partial_count = (size_t)given_partial_count;
    float total = 0;
    for (size_t at = threadIdx.x; at < partial_count; at += blockDim.x) {
        total = total + partials[at];
    }
    __shared__ float totals[UNISPARSE_THREADS / 32];
    total = unisparse_block_reduced(total, totals, [](float left, float right) { return (float)(left + right); });
    if (threadIdx.x == 0) {
        *t = *t + total;
    }
}

}
