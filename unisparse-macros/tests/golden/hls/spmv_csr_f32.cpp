#include "unisparse_hls.h"

// `y[i] = A[i, j] * x[j]` where 
// y: dense, in row-major order
// a_row_ptr: where the entries of `col` below each parent begin, and end
// a_col_idx: the coordinates of `col`
// a_values: the values
// x: dense, in row-major order
// i_extent: the extent of an index
// j_extent: the extent of an index

// Numbers of iterations, for the tool's reports only; an export has those of its operands.
#ifndef UNISPARSE_TRIPS
static const unsigned mean_of_row = 1024, most_of_row = 1024;
static const unsigned mean_of_col_position = 1024, most_of_col_position = 1024;
#endif

extern "C" void spmv_csr_f32(
    float *y,
    const uint32_t *a_row_ptr,
    const uint32_t *a_col_idx,
    const float *a_values,
    const float *x,
    unisparse_size i_extent,
    unisparse_size j_extent)
{
    #pragma HLS INTERFACE m_axi port=y offset=slave bundle=y
    #pragma HLS INTERFACE m_axi port=a_row_ptr offset=slave bundle=a_row_ptr
    #pragma HLS INTERFACE m_axi port=a_col_idx offset=slave bundle=a_col_idx
    #pragma HLS INTERFACE m_axi port=a_values offset=slave bundle=a_values
    #pragma HLS INTERFACE m_axi port=x offset=slave bundle=x
    #pragma HLS INTERFACE s_axilite port=i_extent
    #pragma HLS INTERFACE s_axilite port=j_extent
    #pragma HLS INTERFACE s_axilite port=return
    typedef unisparse_size size_t;
    for (size_t row = 0, row_end = i_extent; row < row_end; row++) {
        #pragma HLS LOOP_TRIPCOUNT avg=mean_of_row max=most_of_row
        {
            float sum = 0;
            size_t col_position = a_row_ptr[row];
            const size_t col_position_end = a_row_ptr[row + 1];
            if (col_position < col_position_end && col_position_end - col_position >= 8) {
                float sums[8];
                #pragma HLS ARRAY_PARTITION variable=sums type=complete
                for (ap_uint<4> lane = 0; lane < 8; lane++) {
                    #pragma HLS UNROLL
                    sums[lane] = 0;
                }
                const size_t col_position_first = col_position;
                const size_t col_position_whole = col_position_end - (col_position_end - col_position) % 4;
                UNISPARSE_CLAIM(sums, 8);
                for (; col_position < col_position_whole; col_position++) {
                    #pragma HLS LOOP_TRIPCOUNT avg=mean_of_col_position max=most_of_col_position
                    #pragma HLS PIPELINE II=1
                    #pragma HLS DEPENDENCE variable=sums type=inter direction=RAW distance=8 dependent=true
                    const size_t col_position_lane = (col_position - col_position_first) % 8;
                    UNISPARSE_TOUCH(sums, col_position_lane);
                    const size_t col = a_col_idx[col_position];
                    const float value = a_values[col_position];
                    const float x_item = x[col];
                    sums[col_position_lane] = sums[col_position_lane] + value * x_item;
                }
                sums[0] = sums[0] + sums[4];
                sums[1] = sums[1] + sums[5];
                sums[2] = sums[2] + sums[6];
                sums[3] = sums[3] + sums[7];
                sums[0] = sums[0] + sums[2];
                sums[1] = sums[1] + sums[3];
                sums[0] = sums[0] + sums[1];
                sum = sums[0];
            }
            for (; col_position < col_position_end; col_position++) {
                #pragma HLS LOOP_TRIPCOUNT min=0 max=7
                #pragma HLS PIPELINE
                const size_t col = a_col_idx[col_position];
                const float value = a_values[col_position];
                const float x_item = x[col];
                sum = sum + value * x_item;
            }
            y[row] = sum;
        }
    }
}
