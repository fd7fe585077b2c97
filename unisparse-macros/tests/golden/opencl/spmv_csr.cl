/* `y[i] = A[i, j] * x[j]` where A: |i, j| (row: i, col: j) { merge(row); trim(col); } */
/* spmv_csr: i_extent work items */

__kernel void spmv_csr(__global ELEMENT *restrict y, __global const uint *restrict row_ptr, __global const uint *restrict col_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict x, const long i_extent, const long j_extent) {
    const long row = (long)get_global_id(0);
    if (row < i_extent) {
        {
            ELEMENT sum = 0;
            for (long col_position = row_ptr[row], col_position_end = row_ptr[row + 1]; col_position < col_position_end; col_position += 1) {
                const long col = col_idx[col_position];
                const ELEMENT value = values[col_position];
                const ELEMENT x_item = x[col];
                sum += value * x_item;
            }
            y[row] = sum;
        }
    }
}
