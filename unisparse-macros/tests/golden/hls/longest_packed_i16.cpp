#include "unisparse_hls.h"

typedef unisparse::wrapping<int16_t> unisparse_value;

struct longest_packed_i16_a_col_entries {
    uint32_t col_idx;
    unisparse_value value;
};

// `t max= A[i, j]` where 
// t: dense, in row-major order
// a_row_ptr: where the entries of `col` below each parent begin, and end
// a_col_entries: col_idx, value side by side
// i_extent: the extent of an index
// j_extent: the extent of an index

// Numbers of iterations, for the tool's reports only; an export has those of its operands.
#ifndef UNISPARSE_TRIPS
static const unsigned mean_of_row = 1024, most_of_row = 1024;
static const unsigned mean_of_col_position = 1024, most_of_col_position = 1024;
#endif

extern "C" void longest_packed_i16(
    unisparse_value *t,
    const uint32_t *a_row_ptr,
    const struct longest_packed_i16_a_col_entries *a_col_entries,
    unisparse_size i_extent,
    unisparse_size j_extent)
{
    #pragma HLS INTERFACE m_axi port=t offset=slave bundle=t
    #pragma HLS INTERFACE m_axi port=a_row_ptr offset=slave bundle=a_row_ptr
    #pragma HLS INTERFACE m_axi port=a_col_entries offset=slave bundle=a_col_entries
    #pragma HLS INTERFACE s_axilite port=i_extent
    #pragma HLS INTERFACE s_axilite port=j_extent
    #pragma HLS INTERFACE s_axilite port=return
    typedef unisparse_size size_t;
    unisparse_value total = UNISPARSE_MAX_START;
    {
        unisparse_value sum = UNISPARSE_MAX_IDENTITY;
        for (size_t row = 0, row_end = i_extent; row < row_end; row++) {
            #pragma HLS LOOP_TRIPCOUNT avg=mean_of_row max=most_of_row
            for (size_t col_position = a_row_ptr[row], col_position_end = a_row_ptr[row + 1]; col_position < col_position_end; col_position++) {
                #pragma HLS LOOP_TRIPCOUNT avg=mean_of_col_position max=most_of_col_position
                #pragma HLS PIPELINE
                const unisparse_value value = a_col_entries[col_position].value;
                sum = unisparse_greater_value(sum, value);
            }
        }
        total = unisparse_greater_value(total, sum);
    }
    t[0] = total;
}
