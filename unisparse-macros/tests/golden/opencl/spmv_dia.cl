/* `y[i] = A[i, j] * x[j]` where A: |i, j| (diag: j - i, row: i) { merge(diag); trim(diag); } */
/* spmv_dia: i_extent work items */

__kernel void spmv_dia(__global ELEMENT *restrict y, const long diag_count, __global const int *restrict diag_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict x, const long i_extent, const long j_extent) {
    const long row = (long)get_global_id(0);
    if (row < i_extent) {
        const long width = 1;
        ELEMENT sums[1];
        for (long lane = 0; lane < width; lane++) {
            sums[lane] = 0;
        }
        for (long diag_position = 0, diag_position_end = diag_count; diag_position < diag_position_end; diag_position += 1) {
            const long diag = diag_idx[diag_position];
            for (long step = unisparse_greater(0, -diag - row), step_end = unisparse_lesser(width, j_extent - diag - row); step < step_end; step += 1) {
                sums[step] += values[diag_position * i_extent + (row + step)] * x[diag + (row + step)];
            }
        }
        for (long lane = 0; lane < width; lane++) {
            y[row + lane] = sums[lane];
        }
    }
}
