namespace unisparse {

struct spmv_sell_f32_a {
    uint64_t chunk_size;
    const uint32_t *chunk_ptr;
    const uint32_t *row_idx;
    const uint32_t *col_idx;
    const float *values;
};

/* `y[i] = A[i, j] * x[j]` where . */

UNISPARSE_KERNEL spmv_sell_f32_zero(float *__restrict__ y, const struct spmv_sell_f32_a given_a, const float *__restrict__ x, const uint64_t given_i_extent, const uint64_t given_j_extent) {
    const size_t i_extent = (size_t)given_i_extent;
    constexpr unsigned lanes = 1;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    for (size_t at = worker; at < i_extent; at += workers) {
        y[at] = 0;
    }
}

UNISPARSE_KERNEL spmv_sell_f32(float *__restrict__ y, const struct spmv_sell_f32_a given_a, const float *__restrict__ x, const uint64_t given_i_extent, const uint64_t given_j_extent) {
    const struct spmv_sell_f32_a *const a = &given_a;
    const size_t i_extent = (size_t)given_i_extent;
    constexpr unsigned lanes = UNISPARSE_LANES;
    const unsigned lane_2 = threadIdx.x % lanes;
    const size_t worker = unisparse_worker<lanes>();
    const size_t workers = unisparse_workers<lanes>();
    const size_t chunk_size = a->chunk_size;
    const size_t window_size = unisparse_ceil(i_extent, SIGMA);
    for (size_t window_chunk = worker, window_chunk_end = window_size * chunk_size; window_chunk < window_chunk_end; window_chunk += workers) {
        const size_t window = window_chunk / chunk_size;
        const size_t chunk = (size_t)unisparse_greater(0, (ptrdiff_t)window_chunk - ((ptrdiff_t)(window * chunk_size)));
        if (unisparse_read(&a->chunk_ptr[window * chunk_size + chunk]) < unisparse_read(&a->chunk_ptr[window * chunk_size + chunk + 1])) {
            {
                size_t lane = 0;
                const size_t lane_end = C;
                for (; lane < lane_end; lane += lanes) {
                    const size_t width = lane_end - lane < lanes ? lane_end - lane : lanes;
                    float sums[1];
                    #pragma unroll
                    for (unsigned number = 0; number < 1; number++) {
                        sums[number] = 0;
                    }
                    for (size_t slot_position = unisparse_read(&a->chunk_ptr[window * chunk_size + chunk]), slot_position_end = unisparse_read(&a->chunk_ptr[window * chunk_size + chunk + 1]); slot_position < slot_position_end; slot_position++) {
                        #pragma unroll
                        for (unsigned number_2 = 0; number_2 < 1; number_2++) {
                            const size_t step = number_2 * lanes + lane_2;
                            if (step < width) {
                                const size_t col = unisparse_read(&a->col_idx[slot_position * C + (lane + step)]);
                                sums[number_2] = sums[number_2] + unisparse_read(&a->values[slot_position * C + (lane + step)]) * unisparse_read(&x[col]);
                            }
                        }
                    }
                    #pragma unroll
                    for (unsigned number_3 = 0; number_3 < 1; number_3++) {
                        const size_t step_2 = number_3 * lanes + lane_2;
                        if (step_2 < width) {
                            const size_t place = unisparse_read(&a->row_idx[((window * chunk_size + chunk) * C + lane) + step_2]);
                            if (place == 0) {
                                unisparse_atomic_plus(&y[place], sums[number_3]);
                            } else {
                                y[place] = y[place] + sums[number_3];
                            }
                        }
                    }
                }
            }
        }
    }
}

}
