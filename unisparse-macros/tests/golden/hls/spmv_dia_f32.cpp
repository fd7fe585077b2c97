#include "unisparse_hls.h"

// `y[i] = A[i, j] * x[j]` where 
// y: dense, in row-major order
// a_diag_count: the number of entries of `diag`
// a_diag_idx: the coordinates of `diag`
// a_values: the values
// x: dense, in row-major order
// i_extent: the extent of an index
// j_extent: the extent of an index

// Numbers of iterations, for the tool's reports only; an export has those of its operands.
#ifndef UNISPARSE_TRIPS
static const unsigned mean_of_row = 1024, most_of_row = 1024;
static const unsigned mean_of_diag_position = 1024, most_of_diag_position = 1024;
#endif

extern "C" void spmv_dia_f32(
    float *y,
    unisparse_size a_diag_count,
    const int32_t *a_diag_idx,
    const float *a_values,
    const float *x,
    unisparse_size i_extent,
    unisparse_size j_extent)
{
    #pragma HLS INTERFACE m_axi port=y offset=slave bundle=y
    #pragma HLS INTERFACE s_axilite port=a_diag_count
    #pragma HLS INTERFACE m_axi port=a_diag_idx offset=slave bundle=a_diag_idx
    #pragma HLS INTERFACE m_axi port=a_values offset=slave bundle=a_values
    #pragma HLS INTERFACE m_axi port=x offset=slave bundle=x
    #pragma HLS INTERFACE s_axilite port=i_extent
    #pragma HLS INTERFACE s_axilite port=j_extent
    #pragma HLS INTERFACE s_axilite port=return
    typedef unisparse_size size_t;
    typedef unisparse_difference ptrdiff_t;
    {
        size_t row = 0;
        const size_t row_end = i_extent;
        for (; row < row_end && row_end - row >= 8; row += 8) {
            #pragma HLS LOOP_TRIPCOUNT avg=mean_of_row max=most_of_row
            float sums[8];
            #pragma HLS ARRAY_PARTITION variable=sums type=complete
            for (ap_uint<4> lane = 0; lane < 8; lane++) {
                #pragma HLS UNROLL
                sums[lane] = 0;
            }
            for (size_t diag_position = 0, diag_position_end = a_diag_count; diag_position < diag_position_end; diag_position++) {
                #pragma HLS LOOP_TRIPCOUNT avg=mean_of_diag_position max=most_of_diag_position
                #pragma HLS PIPELINE
                const ptrdiff_t diag = a_diag_idx[diag_position];
                for (ap_uint<4> step = 0; step < 8; step++) {
                    #pragma HLS UNROLL
                    if ((ptrdiff_t)step >= -diag - (ptrdiff_t)row && (ptrdiff_t)step < (ptrdiff_t)j_extent - diag - (ptrdiff_t)row) {
                        sums[step] = sums[step] + a_values[diag_position * i_extent + (row + step)] * x[(size_t)(diag + ((ptrdiff_t)row + (ptrdiff_t)step))];
                    }
                }
            }
            for (ap_uint<4> lane_2 = 0; lane_2 < 8; lane_2++) {
                #pragma HLS UNROLL
                y[row + lane_2] = sums[lane_2];
            }
        }
        if (row < row_end) {
            const size_t width = row_end - row;
            float sums[8];
            #pragma HLS ARRAY_PARTITION variable=sums type=complete
            for (ap_uint<4> lane_3 = 0; lane_3 < 8; lane_3++) {
                #pragma HLS UNROLL
                sums[lane_3] = 0;
            }
            for (size_t diag_position = 0, diag_position_end_2 = a_diag_count; diag_position < diag_position_end_2; diag_position++) {
                #pragma HLS LOOP_TRIPCOUNT avg=mean_of_diag_position max=most_of_diag_position
                const ptrdiff_t diag = a_diag_idx[diag_position];
                {
                    UNISPARSE_CLAIM(sums, 0);
                    for (size_t step = (size_t)unisparse_greater(0, -diag - (ptrdiff_t)row), step_end = (size_t)unisparse_greater(0, unisparse_lesser((ptrdiff_t)width, (ptrdiff_t)j_extent - diag - (ptrdiff_t)row)); step < step_end; step++) {
                        #pragma HLS PIPELINE II=1
                        #pragma HLS LOOP_FLATTEN off
                        #pragma HLS DEPENDENCE variable=sums type=inter dependent=false
                        UNISPARSE_TOUCH(sums, step);
                        sums[step] = sums[step] + a_values[diag_position * i_extent + (row + step)] * x[(size_t)(diag + ((ptrdiff_t)row + (ptrdiff_t)step))];
                    }
                }
            }
            for (size_t lane_4 = 0; lane_4 < width; lane_4++) {
                #pragma HLS LOOP_TRIPCOUNT max=8
                #pragma HLS PIPELINE II=1
                y[row + lane_4] = sums[lane_4];
            }
        }
    }
}
