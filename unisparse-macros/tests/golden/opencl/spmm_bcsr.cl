/* `C[i, k] = A[i, j] * B[j, k]` where A: |i, j| (brow: i / R, bcol: j / C, r: i % R, c: j % C) { merge(brow, bcol); trim(bcol); } */
/* spmm_bcsr: brow_size work items, brow_size = unisparse_ceil(i_extent, R) */

__kernel void spmm_bcsr(__global ELEMENT *restrict c, __global const uint *restrict brow_ptr, __global const uint *restrict bcol_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict b, const long i_extent, const long k_extent, const long j_extent, const long R, const long C) {
    const long brow_size = unisparse_ceil(i_extent, R);
    const long brow = (long)get_global_id(0);
    if (brow < brow_size) {
        for (long r = 0, r_end = unisparse_lesser(R, i_extent - (R * brow)); r < r_end; r += 4) {
            const long rows = unisparse_lesser(4, unisparse_lesser(R, i_extent - (R * brow)) - r);
            for (long k = 0, k_end = k_extent; k < k_end; k += 4) {
                const long width = unisparse_lesser(4, k_extent - k);
                ELEMENT sums[16];
                for (long lane = 0; lane < rows * width; lane++) {
                    sums[lane] = 0;
                }
                for (long bcol_position = brow_ptr[brow], bcol_position_end = brow_ptr[brow + 1]; bcol_position < bcol_position_end; bcol_position += 1) {
                    const long bcol = bcol_idx[bcol_position];
                    for (long c_2 = 0, c_2_end = unisparse_lesser(C, j_extent - (C * bcol)); c_2 < c_2_end; c_2 += 1) {
                        for (long row_step = 0, row_step_end = rows; row_step < row_step_end; row_step += 1) {
                            const ELEMENT value = values[(bcol_position * R + (r + row_step)) * C + c_2];
                            for (long step = 0, step_end = width; step < step_end; step += 1) {
                                sums[row_step * width + step] += value * b[(C * bcol + c_2) * k_extent + (k + step)];
                            }
                        }
                    }
                }
                for (long lane = 0; lane < rows * width; lane++) {
                    c[(R * brow + r) * k_extent + k + lane / width * k_extent + lane % width] = sums[lane];
                }
            }
        }
    }
}
