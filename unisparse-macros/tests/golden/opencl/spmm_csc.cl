/* `C[i, k] = A[i, j] * B[j, k]` where A: |i, j| (col: j, row: i) { merge(col); trim(row); } */
/* spmm_csc_zero: i_extent * k_extent work items */
/* spmm_csc: 1 work items */

__kernel void spmm_csc_zero(__global ELEMENT *restrict c, __global const uint *restrict col_ptr, __global const uint *restrict row_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict b, const long i_extent, const long k_extent, const long j_extent) {
    const long at = (long)get_global_id(0);
    if (at < i_extent * k_extent) {
        c[at] = 0;
    }
}

__kernel void spmm_csc(__global ELEMENT *restrict c, __global const uint *restrict col_ptr, __global const uint *restrict row_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict b, const long i_extent, const long k_extent, const long j_extent) {
    if (get_global_id(0) == 0) {
        for (long col = 0, col_end = j_extent; col < col_end; col += 1) {
            for (long row_position = col_ptr[col], row_position_end = col_ptr[col + 1]; row_position < row_position_end; row_position += 1) {
                const long row = row_idx[row_position];
                const ELEMENT value = values[row_position];
                for (long k = 0, k_end = k_extent; k < k_end; k += 1) {
                    c[row * k_extent + k] += value * b[col * k_extent + k];
                }
            }
        }
    }
}
