/* `D[i, j] = A[i, j] * P[i, k] * Q[k, j]` where A: |i, j| (diag: j - i, row: i) { merge(diag); trim(diag); } */
/* sddmm_dia_zero: i_extent * j_extent work items */
/* sddmm_dia: 1 work items */

__kernel void sddmm_dia_zero(__global ELEMENT *restrict d, const long diag_count, __global const int *restrict diag_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict p, __global const ELEMENT *restrict q, const long i_extent, const long j_extent, const long k_extent) {
    const long at = (long)get_global_id(0);
    if (at < i_extent * j_extent) {
        d[at] = 0;
    }
}

__kernel void sddmm_dia(__global ELEMENT *restrict d, const long diag_count, __global const int *restrict diag_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict p, __global const ELEMENT *restrict q, const long i_extent, const long j_extent, const long k_extent) {
    if (get_global_id(0) == 0) {
        for (long diag_position = 0, diag_position_end = diag_count; diag_position < diag_position_end; diag_position += 1) {
            const long diag = diag_idx[diag_position];
            for (long row = unisparse_greater(0, -diag), row_end = unisparse_lesser(i_extent, j_extent - diag); row < row_end; row += 1) {
                {
                    ELEMENT sum = 0;
                    const ELEMENT value = values[diag_position * i_extent + row];
                    for (long k = 0, k_end = k_extent; k < k_end; k += 1) {
                        sum += value * p[row * k_extent + k] * q[k * j_extent + (diag + row)];
                    }
                    d[row * j_extent + (diag + row)] += sum;
                }
            }
        }
    }
}
