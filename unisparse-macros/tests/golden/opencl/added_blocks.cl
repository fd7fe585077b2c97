/* `y[i] += alpha * A[i, j] * (x[j] - 2 * i) if m[j]` where A: |i, j| (part: i % 2, row: i / 2, col: j) { trim(col); } */
/* added_blocks: 1 work items */

__kernel void added_blocks(__global ELEMENT *restrict y, const ELEMENT alpha, const long part_count, __global const uchar *restrict part_idx, __global const uint *restrict row_idx, __global const uint *restrict col_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict x, __global const ELEMENT *restrict m, const long i_extent, const long j_extent) {
    if (get_global_id(0) == 0) {
        for (long col_position = 0, col_position_end = part_count; col_position < col_position_end; col_position += 1) {
            const long part = part_idx[col_position];
            const long row = row_idx[col_position];
            const long col = col_idx[col_position];
            const ELEMENT value = values[col_position];
            const ELEMENT x_item = x[col];
            if (i_extent - 1 - (part + (2 * row)) >= 0) {
                if (m[col] != 0) {
                    y[part + (2 * row)] += alpha * value * (x_item + (-((ELEMENT)(2) * (ELEMENT)(part + (2 * row)))));
                }
            }
        }
    }
}
