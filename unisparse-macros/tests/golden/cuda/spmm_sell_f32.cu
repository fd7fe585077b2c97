namespace unisparse {

struct spmm_sell_f32_a {
    uint64_t chunk_size;
    const uint32_t *chunk_ptr;
    const uint32_t *row_idx;
    const uint32_t *col_idx;
    const float *values;
};

/* `C[i, k] = A[i, j] * B[j, k]` where . */

UNISPARSE_KERNEL spmm_sell_f32_zero(float *__restrict__ c, const struct spmm_sell_f32_a given_a, const float *__restrict__ b, const uint64_t given_i_extent, const uint64_t given_k_extent, const uint64_t given_j_extent) {
    const size_t i_extent = (size_t)given_i_extent;
    const size_t k_extent = (size_t)given_k_extent;
    constexpr unsigned lanes = 1;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    for (size_t at = worker; at < i_extent * k_extent; at += workers) {
        c[at] = 0;
    }
}

UNISPARSE_KERNEL spmm_sell_f32(float *__restrict__ c, const struct spmm_sell_f32_a given_a, const float *__restrict__ b, const uint64_t given_i_extent, const uint64_t given_k_extent, const uint64_t given_j_extent) {
    const struct spmm_sell_f32_a *const a = &given_a;
    const size_t i_extent = (size_t)given_i_extent;
    const size_t k_extent = (size_t)given_k_extent;
    constexpr unsigned lanes = UNISPARSE_LANES;
    const unsigned lane_2 = threadIdx.x % lanes;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    const size_t chunk_size = a->chunk_size;
    const size_t window_size = unisparse_ceil(i_extent, SIGMA);
    for (size_t window_chunk = worker, window_chunk_end = window_size * chunk_size; window_chunk < window_chunk_end; window_chunk += workers) {
        const size_t window = window_chunk / chunk_size;
        const size_t chunk = (size_t)unisparse_greater(0, (ptrdiff_t)window_chunk - ((ptrdiff_t)(window * chunk_size)));
        for (size_t slot_position = unisparse_read(&a->chunk_ptr[window * chunk_size + chunk]), slot_position_end = unisparse_read(&a->chunk_ptr[window * chunk_size + chunk + 1]); slot_position < slot_position_end; slot_position++) {
            for (size_t lane = 0, lane_end = C; lane < lane_end; lane++) {
                const size_t row = unisparse_read(&a->row_idx[(window * chunk_size + chunk) * C + lane]);
                const size_t col = unisparse_read(&a->col_idx[slot_position * C + lane]);
                const float value = unisparse_read(&a->values[slot_position * C + lane]);
                for (size_t k = lane_2, k_end = k_extent; k < k_end; k += lanes) {
                    if (row == 0) {
                        unisparse_atomic_plus(&c[row * k_extent + k], value * unisparse_read(&b[col * k_extent + k]));
                    } else {
                        c[row * k_extent + k] = c[row * k_extent + k] + value * unisparse_read(&b[col * k_extent + k]);
                    }
                }
                unisparse_wait<lanes>();
            }
        }
    }
}

}
