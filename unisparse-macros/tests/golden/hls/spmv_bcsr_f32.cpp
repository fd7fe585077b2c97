#include "unisparse_hls.h"

// `y[i] = A[i, j] * x[j]` where 
// y: dense, in row-major order
// a_brow_ptr: where the entries of `bcol` below each parent begin, and end
// a_bcol_idx: the coordinates of `bcol`
// a_values: the values
// x: dense, in row-major order
// i_extent: the extent of an index
// j_extent: the extent of an index

// Numbers of iterations, for the tool's reports only; an export has those of its operands.
#ifndef UNISPARSE_TRIPS
static const unsigned mean_of_bcol_position = 1024, most_of_bcol_position = 1024;
#endif

extern "C" void spmv_bcsr_f32(
    float *y,
    const uint32_t *a_brow_ptr,
    const uint32_t *a_bcol_idx,
    const float *a_values,
    const float *x,
    unisparse_size i_extent,
    unisparse_size j_extent)
{
    #pragma HLS INTERFACE m_axi port=y offset=slave bundle=y
    #pragma HLS INTERFACE m_axi port=a_brow_ptr offset=slave bundle=a_brow_ptr
    #pragma HLS INTERFACE m_axi port=a_bcol_idx offset=slave bundle=a_bcol_idx
    #pragma HLS INTERFACE m_axi port=a_values offset=slave bundle=a_values
    #pragma HLS INTERFACE m_axi port=x offset=slave bundle=x
    #pragma HLS INTERFACE s_axilite port=i_extent
    #pragma HLS INTERFACE s_axilite port=j_extent
    #pragma HLS INTERFACE s_axilite port=return
    typedef unisparse_size size_t;
    typedef unisparse_difference ptrdiff_t;
    const size_t brow_size = unisparse_ceil(i_extent, R);
    for (size_t brow = 0, brow_end = brow_size; brow < brow_end; brow++) {
        {
            size_t r = 0;
            const size_t r_end = (size_t)unisparse_greater(0, unisparse_lesser((ptrdiff_t)R, (ptrdiff_t)i_extent - ((ptrdiff_t)(R * brow))));
            for (; r < r_end && r_end - r >= 8; r += 8) {
                const size_t width = 8;
                float sums[8];
                #pragma HLS ARRAY_PARTITION variable=sums type=complete
                for (ap_uint<4> lane = 0; lane < 8; lane++) {
                    #pragma HLS UNROLL
                    sums[lane] = 0;
                }
                for (size_t bcol_position = a_brow_ptr[brow], bcol_position_end = a_brow_ptr[brow + 1]; bcol_position < bcol_position_end; bcol_position++) {
                    #pragma HLS LOOP_TRIPCOUNT avg=mean_of_bcol_position max=most_of_bcol_position
                    const size_t bcol = a_bcol_idx[bcol_position];
                    for (size_t step = 0, step_end = width; step < step_end; step++) {
                        {
                            float sum = 0;
                            for (size_t c = 0, c_end = (size_t)unisparse_greater(0, unisparse_lesser((ptrdiff_t)C, (ptrdiff_t)j_extent - ((ptrdiff_t)(C * bcol)))); c < c_end; c++) {
                                #pragma HLS PIPELINE
                                sum = sum + a_values[(bcol_position * R + (r + step)) * C + c] * x[C * bcol + c];
                            }
                            sums[step] = sums[step] + sum;
                        }
                    }
                }
                for (ap_uint<4> lane_2 = 0; lane_2 < 8; lane_2++) {
                    #pragma HLS UNROLL
                    y[(R * brow + r) + lane_2] = sums[lane_2];
                }
            }
            if (r < r_end) {
                const size_t width = r_end - r;
                float sums[8];
                #pragma HLS ARRAY_PARTITION variable=sums type=complete
                for (ap_uint<4> lane_3 = 0; lane_3 < 8; lane_3++) {
                    #pragma HLS UNROLL
                    sums[lane_3] = 0;
                }
                for (size_t bcol_position = a_brow_ptr[brow], bcol_position_end_2 = a_brow_ptr[brow + 1]; bcol_position < bcol_position_end_2; bcol_position++) {
                    #pragma HLS LOOP_TRIPCOUNT avg=mean_of_bcol_position max=most_of_bcol_position
                    const size_t bcol = a_bcol_idx[bcol_position];
                    for (size_t step = 0, step_end_2 = width; step < step_end_2; step++) {
                        {
                            float sum = 0;
                            for (size_t c = 0, c_end_2 = (size_t)unisparse_greater(0, unisparse_lesser((ptrdiff_t)C, (ptrdiff_t)j_extent - ((ptrdiff_t)(C * bcol)))); c < c_end_2; c++) {
                                #pragma HLS PIPELINE
                                sum = sum + a_values[(bcol_position * R + (r + step)) * C + c] * x[C * bcol + c];
                            }
                            sums[step] = sums[step] + sum;
                        }
                    }
                }
                for (size_t lane_4 = 0; lane_4 < width; lane_4++) {
                    #pragma HLS LOOP_TRIPCOUNT max=8
                    #pragma HLS PIPELINE II=1
                    y[(R * brow + r) + lane_4] = sums[lane_4];
                }
            }
        }
    }
}
