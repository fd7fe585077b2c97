/* `D[i, j] = A[i, j] * P[i, k] * Q[k, j]` where A: |i, j| (col: j, row: i) { merge(col); trim(row); } */
/* sddmm_csc_zero: i_extent * j_extent work items */
/* sddmm_csc: 1 work items */

__kernel void sddmm_csc_zero(__global ELEMENT *restrict d, __global const uint *restrict col_ptr, __global const uint *restrict row_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict p, __global const ELEMENT *restrict q, const long i_extent, const long j_extent, const long k_extent) {
    const long at = (long)get_global_id(0);
    if (at < i_extent * j_extent) {
        d[at] = 0;
    }
}

__kernel void sddmm_csc(__global ELEMENT *restrict d, __global const uint *restrict col_ptr, __global const uint *restrict row_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict p, __global const ELEMENT *restrict q, const long i_extent, const long j_extent, const long k_extent) {
    if (get_global_id(0) == 0) {
        for (long col = 0, col_end = j_extent; col < col_end; col += 1) {
            for (long row_position = col_ptr[col], row_position_end = col_ptr[col + 1]; row_position < row_position_end; row_position += 1) {
                const long row = row_idx[row_position];
                const ELEMENT value = values[row_position];
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
