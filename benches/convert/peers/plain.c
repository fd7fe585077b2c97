// Coordinates in the order of rows to diagonals and to ELLPACK, as a programmer would write it in C: count, allocate,
// fill. VALUE is the type of the values.
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
