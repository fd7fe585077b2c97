// Coordinates in the order of rows to diagonals and to ELLPACK, as a programmer would write it in C: count, allocate,
// fill; and loops over compressed rows and fibers. VALUE is the type of the values.
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    int64_t count; // of diagonals, or of slots
    int32_t *idx;  // the offset of each diagonal, or the column at each place
    VALUE *values;
} Result;

void release(Result *result) {
    free(result->idx);
    free(result->values);
}

int diagonals(int64_t rows, int64_t cols, int64_t count, const uint32_t *row, const uint32_t *col, const VALUE *value,
              Result *result) {
    int32_t *number = calloc(rows + cols, sizeof *number);
    if (!number)
        return 1;
    for (int64_t k = 0; k < count; k++)
        number[(int64_t)col[k] - row[k] + rows - 1] = 1;
    int64_t found = 0;
    for (int64_t d = 0; d < rows + cols; d++)
        found += number[d];
    result->count = found;
    result->idx = malloc(found * sizeof *result->idx);
    result->values = calloc(found * rows, sizeof *result->values);
    if (!result->idx || !result->values) {
        free(number);
        return 1;
    }
    found = 0;
    for (int64_t d = 0; d < rows + cols; d++)
        if (number[d]) {
            result->idx[found] = (int32_t)(d - (rows - 1));
            number[d] = (int32_t)found++;
        }
    for (int64_t k = 0; k < count; k++)
        result->values[number[(int64_t)col[k] - row[k] + rows - 1] * rows + row[k]] = value[k];
    free(number);
    return 0;
}

int ellpack(int64_t rows, int64_t cols, int64_t count, const uint32_t *row, const uint32_t *col, const VALUE *value,
            Result *result) {
    (void)cols;
    int32_t *length = calloc(rows, sizeof *length);
    if (!length)
        return 1;
    for (int64_t k = 0; k < count; k++)
        length[row[k]]++;
    int64_t longest = 0;
    for (int64_t i = 0; i < rows; i++) {
        if (length[i] > longest)
            longest = length[i];
        length[i] = 0;
    }
    result->count = longest;
    result->idx = calloc(longest * rows, sizeof *result->idx);
    result->values = calloc(longest * rows, sizeof *result->values);
    if (!result->idx || !result->values) {
        free(length);
        return 1;
    }
    for (int64_t k = 0; k < count; k++) {
        int64_t at = length[row[k]]++ * rows + row[k];
        result->idx[at] = (int32_t)col[k];
        result->values[at] = value[k];
    }
    free(length);
    return 0;
}

// result = a .* (p q), p of `rank` columns and q of `cols`, row-major.
void sample(int64_t rows, int64_t cols, int64_t rank, const uint32_t *restrict ptr, const uint32_t *restrict idx,
            const VALUE *restrict values, const VALUE *restrict p, const VALUE *restrict q, VALUE *restrict result) {
    for (int64_t i = 0; i < rows; i++)
        for (uint32_t at = ptr[i]; at < ptr[i + 1]; at++) {
            VALUE sum = 0;
            for (int64_t k = 0; k < rank; k++)
                sum += p[i * rank + k] * q[k * cols + idx[at]];
            result[at] = values[at] * sum;
        }
}

void mttkrp(int64_t count, int64_t rank, const uint32_t *restrict slices, const uint32_t *restrict rows,
            const uint32_t *restrict starts, const uint32_t *restrict cols, const VALUE *restrict x,
            const VALUE *restrict b, const VALUE *restrict c, VALUE *restrict m) {
    VALUE sums[rank];
    for (int64_t i = 0; i < count; i++)
        for (uint32_t fiber = slices[i]; fiber < slices[i + 1]; fiber++) {
            for (int64_t r = 0; r < rank; r++)
                sums[r] = 0;
            for (uint32_t at = starts[fiber]; at < starts[fiber + 1]; at++)
                for (int64_t r = 0; r < rank; r++)
                    sums[r] += x[at] * c[(int64_t)cols[at] * rank + r];
            for (int64_t r = 0; r < rank; r++)
                m[i * rank + r] += sums[r] * b[(int64_t)rows[fiber] * rank + r];
        }
}

// Multiplications and additions in registers: how many were done.
double peak(int64_t steps, VALUE *result) {
    typedef VALUE vector __attribute__((vector_size(64)));
    enum { LANES = 64 / sizeof(VALUE), COUNT = 12 };
    vector sums[COUNT], factor, term;
    for (int lane = 0; lane < LANES; lane++) {
        factor[lane] = (VALUE)0.999;
        term[lane] = (VALUE)(0.001 * lane);
    }
    for (int at = 0; at < COUNT; at++)
        sums[at] = term;
    for (int64_t step = 0; step < steps; step++)
        for (int at = 0; at < COUNT; at++)
            sums[at] = sums[at] * factor + term;
    for (int at = 1; at < COUNT; at++)
        sums[0] += sums[at];
    *result = sums[0][0];
    return 2.0 * steps * COUNT * LANES;
}
