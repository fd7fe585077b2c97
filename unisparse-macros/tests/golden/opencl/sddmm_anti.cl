/* `D[i, j] = A[i, j] * P[i, k] * Q[k, j]` where A: |i, j| (anti: i + j, diff: j - i) { merge(anti); trim(diff); } */
/* sddmm_anti_zero: i_extent * j_extent work items */
/* sddmm_anti: 1 work items */

__kernel void sddmm_anti_zero(__global ELEMENT *restrict d, __global const uint *restrict anti_ptr, __global const int *restrict diff_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict p, __global const ELEMENT *restrict q, const long i_extent, const long j_extent, const long k_extent) {
    const long at = (long)get_global_id(0);
    if (at < i_extent * j_extent) {
        d[at] = 0;
    }
}

__kernel void sddmm_anti(__global ELEMENT *restrict d, __global const uint *restrict anti_ptr, __global const int *restrict diff_idx, __global const ELEMENT *restrict values, __global const ELEMENT *restrict p, __global const ELEMENT *restrict q, const long i_extent, const long j_extent, const long k_extent) {
    if (get_global_id(0) == 0) {
        const long anti_size = unisparse_greater(0, i_extent + j_extent - 1);
        for (long anti = 0, anti_end = anti_size; anti < anti_end; anti += 1) {
            for (long diff_position = anti_ptr[anti], diff_position_end = anti_ptr[anti + 1]; diff_position < diff_position_end; diff_position += 1) {
                const long diff = diff_idx[diff_position];
                const ELEMENT value = values[diff_position];
                const long i = unisparse_greater(0, unisparse_floor(anti - diff, 2));
                const long j = unisparse_greater(0, unisparse_floor(anti + diff, 2));
                {
                    ELEMENT sum = 0;
                    for (long k = 0, k_end = k_extent; k < k_end; k += 1) {
                        sum += value * p[i * k_extent + k] * q[k * j_extent + j];
                    }
                    d[i * j_extent + j] += sum;
                }
            }
        }
    }
}
