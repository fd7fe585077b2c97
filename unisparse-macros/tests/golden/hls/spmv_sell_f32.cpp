#include "unisparse_hls.h"

// `y[i] = A[i, j] * x[j]` where 
// y: dense, in row-major order
// a_chunk_size: the number of coordinates of `chunk`
// a_chunk_ptr: where the entries of `slot` below each parent begin, and end
// a_row_idx: the coordinates of `row`
// a_col_idx: the coordinates of `col`
// a_values: the values
// x: dense, in row-major order
// i_extent: the extent of an index
// j_extent: the extent of an index

// Numbers of iterations, for the tool's reports only; an export has those of its operands.
#ifndef UNISPARSE_TRIPS
static const unsigned mean_of_chunk = 1024, most_of_chunk = 1024;
static const unsigned mean_of_slot_position = 1024, most_of_slot_position = 1024;
#endif

extern "C" void spmv_sell_f32(
    float *y,
    unisparse_size a_chunk_size,
    const uint32_t *a_chunk_ptr,
    const uint32_t *a_row_idx,
    const uint32_t *a_col_idx,
    const float *a_values,
    const float *x,
    unisparse_size i_extent,
    unisparse_size j_extent)
{
    #pragma HLS INTERFACE m_axi port=y offset=slave bundle=y
    #pragma HLS INTERFACE s_axilite port=a_chunk_size
    #pragma HLS INTERFACE m_axi port=a_chunk_ptr offset=slave bundle=a_chunk_ptr
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
    const size_t chunk_size = a_chunk_size;
    const size_t window_size = unisparse_ceil(i_extent, SIGMA);
    for (size_t window = 0, window_end = window_size; window < window_end; window++) {
        for (size_t chunk = 0, chunk_end = chunk_size; chunk < chunk_end; chunk++) {
            #pragma HLS LOOP_TRIPCOUNT avg=mean_of_chunk max=most_of_chunk
            if (a_chunk_ptr[window * chunk_size + chunk] < a_chunk_ptr[window * chunk_size + chunk + 1]) {
                {
                    size_t lane = 0;
                    const size_t lane_end = C;
                    for (; lane < lane_end && lane_end - lane >= 8; lane += 8) {
                        float sums[8];
                        #pragma HLS ARRAY_PARTITION variable=sums type=complete
                        for (ap_uint<4> lane_2 = 0; lane_2 < 8; lane_2++) {
                            #pragma HLS UNROLL
                            sums[lane_2] = 0;
                        }
                        for (size_t slot_position = a_chunk_ptr[window * chunk_size + chunk], slot_position_end = a_chunk_ptr[window * chunk_size + chunk + 1]; slot_position < slot_position_end; slot_position++) {
                            #pragma HLS LOOP_TRIPCOUNT avg=mean_of_slot_position max=most_of_slot_position
                            #pragma HLS PIPELINE
                            for (ap_uint<4> step = 0; step < 8; step++) {
                                #pragma HLS UNROLL
                                const size_t col = a_col_idx[slot_position * C + (lane + step)];
                                sums[step] = sums[step] + a_values[slot_position * C + (lane + step)] * x[col];
                            }
                        }
                        for (ap_uint<4> lane_3 = 0; lane_3 < 8; lane_3++) {
                            #pragma HLS UNROLL
                            y[a_row_idx[((window * chunk_size + chunk) * C + lane) + lane_3]] = y[a_row_idx[((window * chunk_size + chunk) * C + lane) + lane_3]] + sums[lane_3];
                        }
                    }
                    if (lane < lane_end) {
                        const size_t width = lane_end - lane;
                        float sums[8];
                        #pragma HLS ARRAY_PARTITION variable=sums type=complete
                        for (ap_uint<4> lane_4 = 0; lane_4 < 8; lane_4++) {
                            #pragma HLS UNROLL
                            sums[lane_4] = 0;
                        }
                        for (size_t slot_position = a_chunk_ptr[window * chunk_size + chunk], slot_position_end_2 = a_chunk_ptr[window * chunk_size + chunk + 1]; slot_position < slot_position_end_2; slot_position++) {
                            #pragma HLS LOOP_TRIPCOUNT avg=mean_of_slot_position max=most_of_slot_position
                            {
                                UNISPARSE_CLAIM(sums, 0);
                                for (size_t step = 0, step_end = width; step < step_end; step++) {
                                    #pragma HLS PIPELINE II=1
                                    #pragma HLS LOOP_FLATTEN off
                                    #pragma HLS DEPENDENCE variable=sums type=inter dependent=false
                                    const size_t col = a_col_idx[slot_position * C + (lane + step)];
                                    UNISPARSE_TOUCH(sums, step);
                                    sums[step] = sums[step] + a_values[slot_position * C + (lane + step)] * x[col];
                                }
                            }
                        }
                        for (size_t lane_5 = 0; lane_5 < width; lane_5++) {
                            #pragma HLS LOOP_TRIPCOUNT max=8
                            #pragma HLS PIPELINE
                            y[a_row_idx[((window * chunk_size + chunk) * C + lane) + lane_5]] = y[a_row_idx[((window * chunk_size + chunk) * C + lane) + lane_5]] + sums[lane_5];
                        }
                    }
                }
            }
        }
    }
}
