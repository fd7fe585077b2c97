#include "unisparse_hls.h"

// `y[i] = A[i, j] * x[j]` where 
// y: dense, in row-major order
// a_row_count: the number of entries of `row`
// a_row_idx: the coordinates of `row`
// a_col_idx: the coordinates of `col`
// a_values: the values
// x: dense, in row-major order
// i_extent: the extent of an index
// j_extent: the extent of an index

// Numbers of iterations, for the tool's reports only; an export has those of its operands.
#ifndef UNISPARSE_TRIPS
static const unsigned mean_of_col_position = 1024, most_of_col_position = 1024;
#endif

extern "C" void spmv_coo_f32(
    float *y,
    unisparse_size a_row_count,
    const uint32_t *a_row_idx,
    const uint32_t *a_col_idx,
    const float *a_values,
    const float *x,
    unisparse_size i_extent,
    unisparse_size j_extent)
{
    #pragma HLS INTERFACE m_axi port=y offset=slave bundle=y
    #pragma HLS INTERFACE s_axilite port=a_row_count
    #pragma HLS INTERFACE m_axi port=a_row_idx offset=slave bundle=a_row_idx
    #pragma HLS INTERFACE m_axi port=a_col_idx offset=slave bundle=a_col_idx
    #pragma HLS INTERFACE m_axi port=a_values offset=slave bundle=a_values
    #pragma HLS INTERFACE m_axi port=x offset=slave bundle=x
    #pragma HLS INTERFACE s_axilite port=i_extent
    #pragma HLS INTERFACE s_axilite port=j_extent
    #pragma HLS INTERFACE s_axilite port=return
    typedef unisparse_size size_t;
    for (size_t at = 0; at < i_extent; at++) {
        #pragma HLS PIPELINE II=1
        y[at] = 0;
    }
    for (size_t col_position = 0, col_position_end = a_row_count; col_position < col_position_end; col_position++) {
        #pragma HLS LOOP_TRIPCOUNT avg=mean_of_col_position max=most_of_col_position
        #pragma HLS PIPELINE
        const size_t row = a_row_idx[col_position];
        const size_t col = a_col_idx[col_position];
        const float value = a_values[col_position];
        const float x_item = x[col];
        y[row] = y[row] + value * x_item;
    }
}
