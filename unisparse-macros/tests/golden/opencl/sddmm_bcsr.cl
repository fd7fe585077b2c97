/* `D[i, j] = A[i, j] * P[i, k] * Q[k, j]` where A: |i, j| (brow: i / R, bcol: j / C, r: i % R, c: j % C) { merge(brow, bcol); trim(bcol); } */
/* sddmm_bcsr_zero: i_extent * j_extent work items */
/* sddmm_bcsr: brow_size work items, brow_size = unisparse_ceil(i_extent, R) */

__kernel void sddmm_bcsr_zero(__global ELEMENT *restrict d, __global const uint *restrict brow_ptr, __global const uint *restrict bcol_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict p, __global const ELEMENT *restrict q, const long i_extent, const long j_extent, const long k_extent, const long R, const long C) {
    const long at = (long)get_global_id(0);
    if (at < i_extent * j_extent) {
        d[at] = 0;
    }
}

__kernel void sddmm_bcsr(__global ELEMENT *restrict d, __global const uint *restrict brow_ptr, __global const uint *restrict bcol_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict p, __global const ELEMENT *restrict q, const long i_extent, const long j_extent, const long k_extent, const long R, const long C) {
    const long brow_size = unisparse_ceil(i_extent, R);
    const long brow = (long)get_global_id(0);
    if (brow < brow_size) {
        for (long bcol_position = brow_ptr[brow], bcol_position_end = brow_ptr[brow + 1]; bcol_position < bcol_position_end; bcol_position += 1) {
            const long bcol = bcol_idx[bcol_position];
            for (long r = 0, r_end = unisparse_lesser(R, i_extent - (R * brow)); r < r_end; r += 1) {
                for (long c = 0, c_end = unisparse_lesser(C, j_extent - (C * bcol)); c < c_end; c += 1) {
                    {
                        ELEMENT sum = 0;
                        const ELEMENT value = values[(bcol_position * R + r) * C + c];
                        for (long k = 0, k_end = k_extent; k < k_end; k += 1) {
                            sum += value * p[(R * brow + r) * k_extent + k] * q[k * j_extent + (C * bcol + c)];
                        }
                        d[(R * brow + r) * j_extent + (C * bcol + c)] += sum;
                    }
                }
            }
        }
    }
}
