/* `D[i, j] = A[i, j] * P[i, k] * Q[k, j]` where A: |i, j| (row: i, col: j) { merge(row); trim(col); } */
/* sddmm_csr: i_extent work items */

__kernel void sddmm_csr(__global ELEMENT *restrict d, __global const uint *restrict row_ptr, __global const uint *restrict col_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict p, __global const ELEMENT *restrict q, const long i_extent, const long j_extent, const long k_extent) {
    const long row = (long)get_global_id(0);
    if (row < i_extent) {
        for (long at = 0; at < j_extent; at++) {
            d[row * j_extent + at] = 0;
        }
        for (long col_position = row_ptr[row], col_position_end = row_ptr[row + 1]; col_position < col_position_end; col_position += 1) {
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
