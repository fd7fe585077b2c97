/* `y[i] = A[i, j] * x[j]` where A: |i, j| (brow: i / R, bcol: j / C, r: i % R, c: j % C) { merge(brow, bcol); trim(bcol); } */
/* spmv_bcsr: brow_size work items, brow_size = unisparse_ceil(i_extent, R) */

__kernel void spmv_bcsr(__global ELEMENT *restrict y, __global const uint *restrict brow_ptr, __global const uint *restrict bcol_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict x, const long i_extent, const long j_extent, const long R, const long C) {
    const long brow_size = unisparse_ceil(i_extent, R);
    const long brow = (long)get_global_id(0);
    if (brow < brow_size) {
        for (long r = 0, r_end = unisparse_lesser(R, i_extent - (R * brow)); r < r_end; r += 16) {
            const long width = unisparse_lesser(16, unisparse_lesser(R, i_extent - (R * brow)) - r);
            ELEMENT sums[16];
            for (long lane = 0; lane < width; lane++) {
                sums[lane] = 0;
            }
            for (long bcol_position = brow_ptr[brow], bcol_position_end = brow_ptr[brow + 1]; bcol_position < bcol_position_end; bcol_position += 1) {
                const long bcol = bcol_idx[bcol_position];
                for (long step = 0, step_end = width; step < step_end; step += 1) {
                    {
                        ELEMENT sum = 0;
                        for (long c = 0, c_end = unisparse_lesser(C, j_extent - (C * bcol)); c < c_end; c += 1) {
                            sum += values[(bcol_position * R + (r + step)) * C + c] * x[C * bcol + c];
                        }
                        sums[step] += sum;
                    }
                }
            }
            for (long lane = 0; lane < width; lane++) {
                y[R * brow + r + lane] = sums[lane];
            }
        }
    }
}
