#include "unisparse_hls.h"

// `D[i, j] = A[i, j] * P[i, k] * Q[k, j]` where 
// d: dense, in row-major order
// a_row_ptr: where the entries of `col` below each parent begin, and end
// a_col_idx: the coordinates of `col`
// a_values: the values
// p: dense, in row-major order
// q: dense, in row-major order
// i_extent: the extent of an index
// j_extent: the extent of an index
// k_extent: the extent of an index

// Numbers of iterations, for the tool's reports only; an export has those of its operands.
#ifndef UNISPARSE_TRIPS
static const unsigned mean_of_row = 1024, most_of_row = 1024;
static const unsigned mean_of_col_position = 1024, most_of_col_position = 1024;
static const unsigned mean_of_k = 1024, most_of_k = 1024;
#endif

extern "C" void sampled_csr_f32(
    float *d,
    const uint32_t *a_row_ptr,
    const uint32_t *a_col_idx,
    const float *a_values,
    const float *p,
    const float *q,
    unisparse_size i_extent,
    unisparse_size j_extent,
    unisparse_size k_extent)
{
    #pragma HLS INTERFACE m_axi port=d offset=slave bundle=d
    #pragma HLS INTERFACE m_axi port=a_row_ptr offset=slave bundle=a_row_ptr
    #pragma HLS INTERFACE m_axi port=a_col_idx offset=slave bundle=a_col_idx
    #pragma HLS INTERFACE m_axi port=a_values offset=slave bundle=a_values
    #pragma HLS INTERFACE m_axi port=p offset=slave bundle=p
    #pragma HLS INTERFACE m_axi port=q offset=slave bundle=q
    #pragma HLS INTERFACE s_axilite port=i_extent
    #pragma HLS INTERFACE s_axilite port=j_extent
    #pragma HLS INTERFACE s_axilite port=k_extent
    #pragma HLS INTERFACE s_axilite port=return
    typedef unisparse_size size_t;
    for (size_t row = 0, row_end = i_extent; row < row_end; row++) {
        #pragma HLS LOOP_TRIPCOUNT avg=mean_of_row max=most_of_row
        for (size_t at = 0; at < j_extent; at++) {
            #pragma HLS PIPELINE II=1
            d[(row * j_extent) + at] = 0;
        }
        for (size_t col_position = a_row_ptr[row], col_position_end = a_row_ptr[row + 1]; col_position < col_position_end; col_position++) {
            #pragma HLS LOOP_TRIPCOUNT avg=mean_of_col_position max=most_of_col_position
            const size_t col = a_col_idx[col_position];
            const float value = a_values[col_position];
            {
                float sum = 0;
                size_t k = 0;
                const size_t k_end = k_extent;
                if (k < k_end && k_end - k >= 8) {
                    float sums[8];
                    #pragma HLS ARRAY_PARTITION variable=sums type=complete
                    for (ap_uint<4> lane = 0; lane < 8; lane++) {
                        #pragma HLS UNROLL
                        sums[lane] = 0;
                    }
                    const size_t k_first = k;
                    const size_t k_whole = k_end - (k_end - k) % 4;
                    UNISPARSE_CLAIM(sums, 8);
                    for (; k < k_whole; k++) {
                        #pragma HLS LOOP_TRIPCOUNT avg=mean_of_k max=most_of_k
                        #pragma HLS PIPELINE II=1
                        #pragma HLS DEPENDENCE variable=sums type=inter direction=RAW distance=8 dependent=true
                        const size_t k_lane = (k - k_first) % 8;
                        UNISPARSE_TOUCH(sums, k_lane);
                        sums[k_lane] = sums[k_lane] + value * p[row * k_extent + k] * q[k * j_extent + col];
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
                for (; k < k_end; k++) {
                    #pragma HLS LOOP_TRIPCOUNT min=0 max=7
                    #pragma HLS PIPELINE
                    sum = sum + value * p[row * k_extent + k] * q[k * j_extent + col];
                }
                d[row * j_extent + col] = d[row * j_extent + col] + sum;
            }
        }
    }
}
