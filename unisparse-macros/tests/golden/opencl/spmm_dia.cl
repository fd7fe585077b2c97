/* `C[i, k] = A[i, j] * B[j, k]` where A: |i, j| (diag: j - i, row: i) { merge(diag); trim(diag); } */
/* spmm_dia_zero: i_extent * k_extent work items */
/* spmm_dia: 1 work items */

__kernel void spmm_dia_zero(__global ELEMENT *restrict c, const long diag_count, __global const int *restrict diag_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict b, const long i_extent, const long k_extent, const long j_extent) {
    const long at = (long)get_global_id(0);
    if (at < i_extent * k_extent) {
        c[at] = 0;
    }
}

__kernel void spmm_dia(__global ELEMENT *restrict c, const long diag_count, __global const int *restrict diag_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict b, const long i_extent, const long k_extent, const long j_extent) {
    if (get_global_id(0) == 0) {
        for (long diag_position = 0, diag_position_end = diag_count; diag_position < diag_position_end; diag_position += 1) {
            const long diag = diag_idx[diag_position];
            for (long row = unisparse_greater(0, -diag), row_end = unisparse_lesser(i_extent, j_extent - diag); row < row_end; row += 1) {
                const ELEMENT value = values[diag_position * i_extent + row];
                for (long k = 0, k_end = k_extent; k < k_end; k += 1) {
                    c[row * k_extent + k] += value * b[(diag + row) * k_extent + k];
                }
            }
        }
    }
}
