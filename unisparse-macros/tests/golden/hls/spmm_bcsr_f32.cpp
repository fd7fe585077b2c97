#include "unisparse_hls.h"

// `C[i, k] = A[i, j] * B[j, k]` where 
// c: dense, in row-major order
// a_brow_ptr: where the entries of `bcol` below each parent begin, and end
// a_bcol_idx: the coordinates of `bcol`
// a_values: the values
// b: dense, in row-major order
// i_extent: the extent of an index
// k_extent: the extent of an index
// j_extent: the extent of an index

// Numbers of iterations, for the tool's reports only; an export has those of its operands.
#ifndef UNISPARSE_TRIPS
static const unsigned mean_of_bcol_position = 1024, most_of_bcol_position = 1024;
#endif

extern "C" void spmm_bcsr_f32(
    float *c,
    const uint32_t *a_brow_ptr,
    const uint32_t *a_bcol_idx,
    const float *a_values,
    const float *b,
    unisparse_size i_extent,
    unisparse_size k_extent,
    unisparse_size j_extent)
{
    #pragma HLS INTERFACE m_axi port=c offset=slave bundle=c
    #pragma HLS INTERFACE m_axi port=a_brow_ptr offset=slave bundle=a_brow_ptr
    #pragma HLS INTERFACE m_axi port=a_bcol_idx offset=slave bundle=a_bcol_idx
    #pragma HLS INTERFACE m_axi port=a_values offset=slave bundle=a_values
    #pragma HLS INTERFACE m_axi port=b offset=slave bundle=b
    #pragma HLS INTERFACE s_axilite port=i_extent
    #pragma HLS INTERFACE s_axilite port=k_extent
    #pragma HLS INTERFACE s_axilite port=j_extent
    #pragma HLS INTERFACE s_axilite port=return
    typedef unisparse_size size_t;
    typedef unisparse_difference ptrdiff_t;
    const size_t brow_size = unisparse_ceil(i_extent, R);
    for (size_t brow = 0, brow_end = brow_size; brow < brow_end; brow++) {
        for (size_t r = 0, r_end = (size_t)unisparse_greater(0, unisparse_lesser((ptrdiff_t)R, (ptrdiff_t)i_extent - ((ptrdiff_t)(R * brow)))); r < r_end; r += 4) {
            const size_t rows = r_end - r < 4 ? r_end - r : 4;
            for (size_t k = 0, k_end = k_extent; k < k_end; k += 8) {
                const size_t width = k_end - k < 8 ? k_end - k : 8;
                float sums[32];
                #pragma HLS ARRAY_PARTITION variable=sums type=complete
                for (ap_uint<6> lane = 0; lane < 32; lane++) {
                    #pragma HLS UNROLL
                    sums[lane] = 0;
                }
                for (size_t bcol_position = a_brow_ptr[brow], bcol_position_end = a_brow_ptr[brow + 1]; bcol_position < bcol_position_end; bcol_position++) {
                    #pragma HLS LOOP_TRIPCOUNT avg=mean_of_bcol_position max=most_of_bcol_position
                    const size_t bcol = a_bcol_idx[bcol_position];
                    for (size_t c_2 = 0, c_2_end = (size_t)unisparse_greater(0, unisparse_lesser((ptrdiff_t)C, (ptrdiff_t)j_extent - ((ptrdiff_t)(C * bcol)))); c_2 < c_2_end; c_2++) {
                        for (size_t row_step = 0, row_step_end = rows; row_step < row_step_end; row_step++) {
                            const float value = a_values[(bcol_position * R + (r + row_step)) * C + c_2];
                            {
                                UNISPARSE_CLAIM(sums, 0);
                                for (size_t step = 0, step_end = width; step < step_end; step++) {
                                    #pragma HLS PIPELINE II=1
                                    #pragma HLS LOOP_FLATTEN off
                                    #pragma HLS DEPENDENCE variable=sums type=inter dependent=false
                                    UNISPARSE_TOUCH(sums, row_step * width + step);
                                    sums[row_step * width + step] = sums[row_step * width + step] + value * b[(C * bcol + c_2) * k_extent + (k + step)];
                                }
                            }
                        }
                    }
                }
                for (size_t lane_2 = 0; lane_2 < rows * width; lane_2++) {
                    #pragma HLS LOOP_TRIPCOUNT max=32
                    #pragma HLS PIPELINE II=1
                    c[((R * brow + r) * k_extent + k) + lane_2 / width * (k_extent) + lane_2 % width] = sums[lane_2];
                }
            }
        }
    }
}
