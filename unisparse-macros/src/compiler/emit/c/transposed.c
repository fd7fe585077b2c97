/* A copy of `blocks` blocks of `along` rows of `after` elements as blocks of `after` rows of `along`; the caller's to free. */
static inline STORED *unisparse_transposed_NAME(const STORED *from, size_t blocks, size_t along, size_t after) {
    const size_t square = 16;
    STORED *to = (STORED *)malloc(blocks * along * after * sizeof(STORED));
    if (to == NULL) {
        return NULL;
    }
    for (size_t block = 0; block < blocks; block++) {
        const STORED *rows = from + block * along * after;
        STORED *columns = to + block * along * after;
        for (size_t first = 0; first < after; first += square) {
            const size_t end = after - first < square ? after : first + square;
            for (size_t row = 0; row < along; row += square) {
                const size_t row_end = along - row < square ? along : row + square;
                for (size_t column = first; column < end; column++) {
                    for (size_t at = row; at < row_end; at++) {
                        columns[column * along + at] = rows[at * after + column];
                    }
                }
            }
        }
    }
    return to;
}
