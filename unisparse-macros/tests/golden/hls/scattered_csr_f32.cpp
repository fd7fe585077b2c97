#include "unisparse_hls.h"

// `y[j] = A[i, j] * x[i]` where 
// y: dense, in row-major order
// a_row_ptr: where the entries of `col` below each parent begin, and end
// a_col_idx: the coordinates of `col`
// a_values: the values
// x: dense, in row-major order
// j_extent: the extent of an index
// i_extent: the extent of an index

// Numbers of iterations, for the tool's reports only; an export has those of its operands.
#ifndef UNISPARSE_TRIPS
static const unsigned mean_of_row = 1024, most_of_row = 1024;
static const unsigned mean_of_col_position = 1024, most_of_col_position = 1024;
#endif

extern "C" void scattered_csr_f32(
    float *y,
    const uint32_t *a_row_ptr,
    const uint32_t *a_col_idx,
    const float *a_values,
    const float *x,
    unisparse_size j_extent,
    unisparse_size i_extent)
{
    #pragma HLS INTERFACE m_axi port=y offset=slave bundle=y
    #pragma HLS INTERFACE m_axi port=a_row_ptr offset=slave bundle=a_row_ptr
    #pragma HLS INTERFACE m_axi port=a_col_idx offset=slave bundle=a_col_idx
    #pragma HLS INTERFACE m_axi port=a_values offset=slave bundle=a_values
    #pragma HLS INTERFACE m_axi port=x offset=slave bundle=x
    #pragma HLS INTERFACE s_axilite port=j_extent
    #pragma HLS INTERFACE s_axilite port=i_extent
    #pragma HLS INTERFACE s_axilite port=return
    typedef unisparse_size size_t;
    for (size_t at = 0; at < j_extent; at++) {
        #pragma HLS PIPELINE II=1
        y[at] = 0;
    }
    for (size_t row = 0, row_end = i_extent; row < row_end; row++) {
        #pragma HLS LOOP_TRIPCOUNT avg=mean_of_row max=most_of_row
        const float x_item = x[row];
        {
            UNISPARSE_CLAIM(y, 0);
            for (size_t col_position = a_row_ptr[row], col_position_end = a_row_ptr[row + 1]; col_position < col_position_end; col_position++) {
                #pragma HLS LOOP_TRIPCOUNT avg=mean_of_col_position max=most_of_col_position
                #pragma HLS PIPELINE II=1
                #pragma HLS LOOP_FLATTEN off
                #pragma HLS DEPENDENCE variable=y type=inter dependent=false
                const size_t col = a_col_idx[col_position];
                const float value = a_values[col_position];
                UNISPARSE_TOUCH(y, col);
                y[col] = y[col] + value * x_item;
            }
        }
    }
}
