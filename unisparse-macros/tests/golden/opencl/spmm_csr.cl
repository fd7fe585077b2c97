/* `C[i, k] = A[i, j] * B[j, k]` where A: |i, j| (row: i, col: j) { merge(row); trim(col); } */
/* spmm_csr: i_extent x k_extent work items */

__kernel void spmm_csr(__global ELEMENT *restrict c, __global const uint *restrict row_ptr, __global const uint *restrict col_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict b, const long i_extent, const long k_extent, const long j_extent) {
    const long row = (long)get_global_id(0);
    if (row < i_extent) {
        const long k = (long)get_global_id(1);
        if (k < k_extent) {
            const long width = 1;
            ELEMENT sums[1];
            for (long lane = 0; lane < width; lane++) {
                sums[lane] = 0;
            }
            for (long col_position = row_ptr[row], col_position_end = row_ptr[row + 1]; col_position < col_position_end; col_position += 1) {
                const long col = col_idx[col_position];
                const ELEMENT value = values[col_position];
                for (long step = 0, step_end = width; step < step_end; step += 1) {
                    sums[step] += value * b[col * k_extent + (k + step)];
                }
            }
            for (long lane = 0; lane < width; lane++) {
                c[row * k_extent + k + lane] = sums[lane];
            }
        }
    }
}
