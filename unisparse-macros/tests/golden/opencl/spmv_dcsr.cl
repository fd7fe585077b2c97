/* `y[i] = A[i, j] * x[j]` where A: |i, j| (row: i, col: j) { merge(row); trim(row..=col); } */
/* spmv_dcsr_zero: i_extent work items */
/* spmv_dcsr: 1 work items */

__kernel void spmv_dcsr_zero(__global ELEMENT *restrict y, const long row_count, __global const uint *restrict row_idx, __global const uint *restrict row_ptr, __global const uint *restrict col_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict x, const long i_extent, const long j_extent) {
    const long at = (long)get_global_id(0);
    if (at < i_extent) {
        y[at] = 0;
    }
}

__kernel void spmv_dcsr(__global ELEMENT *restrict y, const long row_count, __global const uint *restrict row_idx, __global const uint *restrict row_ptr, __global const uint *restrict col_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict x, const long i_extent, const long j_extent) {
    if (get_global_id(0) == 0) {
        for (long row_position = 0, row_position_end = row_count; row_position < row_position_end; row_position += 1) {
            const long row = row_idx[row_position];
            {
                ELEMENT sum = 0;
                for (long col_position = row_ptr[row_position], col_position_end = row_ptr[row_position + 1]; col_position < col_position_end; col_position += 1) {
                    const long col = col_idx[col_position];
                    const ELEMENT value = values[col_position];
                    const ELEMENT x_item = x[col];
                    sum += value * x_item;
                }
                y[row] += sum;
            }
        }
    }
}
