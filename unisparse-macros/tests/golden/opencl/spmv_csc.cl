/* `y[i] = A[i, j] * x[j]` where A: |i, j| (col: j, row: i) { merge(col); trim(row); } */
/* spmv_csc_zero: i_extent work items */
/* spmv_csc: 1 work items */

__kernel void spmv_csc_zero(__global ELEMENT *restrict y, __global const uint *restrict col_ptr, __global const uint *restrict row_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict x, const long i_extent, const long j_extent) {
    const long at = (long)get_global_id(0);
    if (at < i_extent) {
        y[at] = 0;
    }
}

__kernel void spmv_csc(__global ELEMENT *restrict y, __global const uint *restrict col_ptr, __global const uint *restrict row_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict x, const long i_extent, const long j_extent) {
    if (get_global_id(0) == 0) {
        for (long col = 0, col_end = j_extent; col < col_end; col += 1) {
            const ELEMENT x_item = x[col];
            for (long row_position = col_ptr[col], row_position_end = col_ptr[col + 1]; row_position < row_position_end; row_position += 1) {
                const long row = row_idx[row_position];
                const ELEMENT value = values[row_position];
                y[row] += value * x_item;
            }
        }
    }
}
