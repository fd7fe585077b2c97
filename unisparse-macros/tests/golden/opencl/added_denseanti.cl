/* `y[i] += alpha * A[i, j] * (x[j] - 2 * i) if m[j]` where A: |i, j| (anti: i + j, diff: j - i) {} */
/* added_denseanti: 1 work items */

__kernel void added_denseanti(__global ELEMENT *restrict y, const ELEMENT alpha, __global const ELEMENT *restrict values, __global const ELEMENT *restrict x, __global const ELEMENT *restrict m, const long i_extent, const long j_extent) {
    if (get_global_id(0) == 0) {
        const long anti_size = unisparse_greater(0, i_extent + j_extent - 1);
        const long diff_size = unisparse_greater(0, i_extent + j_extent - 1);
        const long diff_lo = 1 - i_extent;
        const long diff_end = diff_lo + diff_size;
        for (long anti = 0, anti_end = anti_size; anti < anti_end; anti += 1) {
            for (long diff = unisparse_congruent(diff_lo, anti, 2), diff_end_2 = diff_end; diff < diff_end_2; diff += 2) {
                if ((anti + diff) % 2 == 0) {
                    const long i = unisparse_greater(0, unisparse_floor(anti - diff, 2));
                    const long j = unisparse_greater(0, unisparse_floor(anti + diff, 2));
                    if (anti - diff >= 0 && i_extent * 2 - 1 - (anti - diff) >= 0 && anti + diff >= 0 && j_extent * 2 - 1 - (anti + diff) >= 0) {
                        if (m[j] != 0) {
                            y[i] += alpha * values[anti * diff_size + (diff - diff_lo)] * (x[j] + (-((ELEMENT)(2) * (ELEMENT)(i))));
                        }
                    }
                }
            }
        }
    }
}
