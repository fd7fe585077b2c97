/* `D[i, j] = A[i, j] * P[i, k] * Q[k, j]` where A: |i, j| (row: i, col: j) { merge(row); trim(row..=col); } */
/* sddmm_dcsr_zero: i_extent * j_extent work items */
/* sddmm_dcsr: 1 work items */

__kernel void sddmm_dcsr_zero(__global ELEMENT *restrict d, const long row_count, __global const uint *restrict row_idx, __global const uint *restrict row_ptr, __global const uint *restrict col_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict p, __global const ELEMENT *restrict q, const long i_extent, const long j_extent, const long k_extent) {
    const long at = (long)get_global_id(0);
    if (at < i_extent * j_extent) {
        d[at] = 0;
    }
}

__kernel void sddmm_dcsr(__global ELEMENT *restrict d, const long row_count, __global const uint *restrict row_idx, __global const uint *restrict row_ptr, __global const uint *restrict col_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict p, __global const ELEMENT *restrict q, const long i_extent, const long j_extent, const long k_extent) {
    if (get_global_id(0) == 0) {
        for (long row_position = 0, row_position_end = row_count; row_position < row_position_end; row_position += 1) {
            const long row = row_idx[row_position];
            for (long col_position = row_ptr[row_position], col_position_end = row_ptr[row_position + 1]; col_position < col_position_end; col_position += 1) {
                const long col = col_idx[col_position];
                const ELEMENT value = values[col_position];
                {
                    ELEMENT sum = 0;
                    for (long k = 0, k_end = k_extent; k < k_end; k += 1) {
                        sum += value * p[row * k_extent + k] * q[k * j_extent + col];
                    }
                    d[row * j_extent + col] += sum;
                }
            }
        }
    }
}
