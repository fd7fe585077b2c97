#include "unisparse_hls.h"

// `C[i, k] = A[i, j] * B[j, k]` where 
// c: dense, in row-major order
// a_row_ptr: where the entries of `col` below each parent begin, and end
// a_col_idx: the coordinates of `col`
// a_values: the values
// b: dense, in row-major order
// i_extent: the extent of an index
// k_extent: the extent of an index
// j_extent: the extent of an index

// Numbers of iterations, for the tool's reports only; an export has those of its operands.
#ifndef UNISPARSE_TRIPS
static const unsigned mean_of_row = 1024, most_of_row = 1024;
static const unsigned mean_of_k = 1024, most_of_k = 1024;
static const unsigned mean_of_col_position = 1024, most_of_col_position = 1024;
#endif

extern "C" void spmm_csr_f32(
    float *c,
    const uint32_t *a_row_ptr,
    const uint32_t *a_col_idx,
    const float *a_values,
    const float *b,
    unisparse_size i_extent,
    unisparse_size k_extent,
    unisparse_size j_extent)
{
    #pragma HLS INTERFACE m_axi port=c offset=slave bundle=c
    #pragma HLS INTERFACE m_axi port=a_row_ptr offset=slave bundle=a_row_ptr
    #pragma HLS INTERFACE m_axi port=a_col_idx offset=slave bundle=a_col_idx
    #pragma HLS INTERFACE m_axi port=a_values offset=slave bundle=a_values
    #pragma HLS INTERFACE m_axi port=b offset=slave bundle=b
    #pragma HLS INTERFACE s_axilite port=i_extent
    #pragma HLS INTERFACE s_axilite port=k_extent
    #pragma HLS INTERFACE s_axilite port=j_extent
    #pragma HLS INTERFACE s_axilite port=return
    typedef unisparse_size size_t;
    for (size_t row = 0, row_end = i_extent; row < row_end; row++) {
        #pragma HLS LOOP_TRIPCOUNT avg=mean_of_row max=most_of_row
        {
            size_t k = 0;
            const size_t k_end = k_extent;
            for (; k < k_end && k_end - k >= 8; k += 8) {
                #pragma HLS LOOP_TRIPCOUNT avg=mean_of_k max=most_of_k
                float sums[8];
                #pragma HLS ARRAY_PARTITION variable=sums type=complete
                for (ap_uint<4> lane = 0; lane < 8; lane++) {
                    #pragma HLS UNROLL
                    sums[lane] = 0;
                }
                for (size_t col_position = a_row_ptr[row], col_position_end = a_row_ptr[row + 1]; col_position < col_position_end; col_position++) {
                    #pragma HLS LOOP_TRIPCOUNT avg=mean_of_col_position max=most_of_col_position
                    #pragma HLS PIPELINE
                    const size_t col = a_col_idx[col_position];
                    const float value = a_values[col_position];
                    for (ap_uint<4> step = 0; step < 8; step++) {
                        #pragma HLS UNROLL
                        sums[step] = sums[step] + value * b[col * k_extent + (k + step)];
                    }
                }
                for (ap_uint<4> lane_2 = 0; lane_2 < 8; lane_2++) {
                    #pragma HLS UNROLL
                    c[(row * k_extent + k) + lane_2] = sums[lane_2];
                }
            }
            if (k < k_end) {
                const size_t width = k_end - k;
                float sums[8];
                #pragma HLS ARRAY_PARTITION variable=sums type=complete
                for (ap_uint<4> lane_3 = 0; lane_3 < 8; lane_3++) {
                    #pragma HLS UNROLL
                    sums[lane_3] = 0;
                }
                for (size_t col_position = a_row_ptr[row], col_position_end_2 = a_row_ptr[row + 1]; col_position < col_position_end_2; col_position++) {
                    #pragma HLS LOOP_TRIPCOUNT avg=mean_of_col_position max=most_of_col_position
                    const size_t col = a_col_idx[col_position];
                    const float value = a_values[col_position];
                    {
                        UNISPARSE_CLAIM(sums, 0);
                        for (size_t step = 0, step_end = width; step < step_end; step++) {
                            #pragma HLS PIPELINE II=1
                            #pragma HLS LOOP_FLATTEN off
                            #pragma HLS DEPENDENCE variable=sums type=inter dependent=false
                            UNISPARSE_TOUCH(sums, step);
                            sums[step] = sums[step] + value * b[col * k_extent + (k + step)];
                        }
                    }
                }
                for (size_t lane_4 = 0; lane_4 < width; lane_4++) {
                    #pragma HLS LOOP_TRIPCOUNT max=8
                    #pragma HLS PIPELINE II=1
                    c[(row * k_extent + k) + lane_4] = sums[lane_4];
                }
            }
        }
    }
}
