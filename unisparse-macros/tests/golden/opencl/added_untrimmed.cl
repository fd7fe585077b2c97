/* `y[i] += alpha * A[i, j] * (x[j] - 2 * i) if m[j]` where A: |i, j| (row: i, col: j) { merge(row); trim(row); } */
/* added_untrimmed: 1 work items */

__kernel void added_untrimmed(__global ELEMENT *restrict y, const ELEMENT alpha, const long row_count, __global const uint *restrict row_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict x, __global const ELEMENT *restrict m, const long i_extent, const long j_extent) {
    if (get_global_id(0) == 0) {
        for (long row_position = 0, row_position_end = row_count; row_position < row_position_end; row_position += 1) {
            const long row = row_idx[row_position];
            {
                ELEMENT sum = 0;
                for (long col = 0, col_end = j_extent; col < col_end; col += 1) {
                    if (m[col] != 0) {
                        sum += alpha * values[row_position * j_extent + col] * (x[col] + (-((ELEMENT)(2) * (ELEMENT)(row))));
                    }
                }
                y[row] += sum;
            }
        }
    }
}
