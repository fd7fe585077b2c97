/* The elements of a sparse result, `dims` coordinates each. Starts as zeros but for `dims`; the arrays are the caller's to free. */
struct unisparse_output_NAME {
    size_t dims, count, room;
    size_t *coordinates;
    ELEMENT *values;
    /* Whether there was no memory for some. */
    bool failed;
};

static inline bool unisparse_grow_NAME(struct unisparse_output_NAME *output) {
    const size_t room = output->room == 0 ? 64 : 2 * output->room;
    const size_t most = SIZE_MAX / 4 / sizeof(size_t) / (output->dims + 1) / sizeof(ELEMENT);
    size_t *coordinates = NULL;
    ELEMENT *values = NULL;
    if (room < most) {
        coordinates = (size_t *)realloc(output->coordinates, room * output->dims * sizeof(size_t));
    }
    if (coordinates != NULL) {
        output->coordinates = coordinates;
        values = (ELEMENT *)realloc(output->values, room * sizeof(ELEMENT));
    }
    if (values == NULL) {
        output->failed = true;
        return false;
    }
    output->values = values;
    output->room = room;
    return true;
}

static inline void unisparse_append_NAME(struct unisparse_output_NAME *output, const size_t *coordinate, ELEMENT value) {
    if (output->count == output->room && !unisparse_grow_NAME(output)) {
        return;
    }
    memcpy(output->coordinates + output->count * output->dims, coordinate, output->dims * sizeof(size_t));
    output->values[output->count++] = value;
}

/* The elements of one fiber of a sparse result, by number. */
struct unisparse_fiber_NAME {
    size_t count;
    /* The numbers in use, as they came, and room to sort them. */
    size_t *touched, *other;
    bool *used;
    ELEMENT *values;
};

static inline void unisparse_close_NAME(struct unisparse_fiber_NAME *fiber) {
    free(fiber->touched);
    free(fiber->other);
    free(fiber->used);
    free(fiber->values);
}

/* Room for numbers below `extent`; whether there is memory for it. */
static inline bool unisparse_open_NAME(struct unisparse_fiber_NAME *fiber, size_t extent) {
    const size_t room = extent + (extent == 0);
    fiber->count = 0;
    fiber->touched = (size_t *)calloc(room, sizeof(size_t));
    fiber->other = (size_t *)calloc(room, sizeof(size_t));
    fiber->used = (bool *)calloc(room, sizeof(bool));
    fiber->values = (ELEMENT *)calloc(room, sizeof(ELEMENT));
    if (fiber->touched == NULL || fiber->other == NULL || fiber->used == NULL || fiber->values == NULL) {
        unisparse_close_NAME(fiber);
        return false;
    }
    return true;
}

/* The first element of a number. */
static inline void unisparse_put_NAME(struct unisparse_fiber_NAME *fiber, size_t number, ELEMENT value) {
    fiber->used[number] = true;
    fiber->values[number] = value;
    fiber->touched[fiber->count++] = number;
}

/* Brings the numbers in use in order: a few by insertion, many by a radix sort of their bytes. */
static inline void unisparse_sort_NAME(struct unisparse_fiber_NAME *fiber) {
    const size_t count = fiber->count;
    size_t *from = fiber->touched, *to = fiber->other;
    if (count < 32) {
        for (size_t at = 1; at < count; at++) {
            const size_t number = from[at];
            size_t place = at;
            for (; place > 0 && from[place - 1] > number; place--) {
                from[place] = from[place - 1];
            }
            from[place] = number;
        }
        return;
    }
    size_t greatest = 0;
    for (size_t at = 0; at < count; at++) {
        greatest = from[at] > greatest ? from[at] : greatest;
    }
    for (unsigned shift = 0; shift < CHAR_BIT * sizeof(size_t) && greatest >> shift != 0; shift += 8) {
        size_t starts[256] = {0};
        for (size_t at = 0; at < count; at++) {
            starts[from[at] >> shift & 255]++;
        }
        size_t start = 0;
        for (size_t digit = 0; digit < 256; digit++) {
            const size_t of_digit = starts[digit];
            starts[digit] = start;
            start += of_digit;
        }
        for (size_t at = 0; at < count; at++) {
            to[starts[from[at] >> shift & 255]++] = from[at];
        }
        size_t *const sorted = to;
        to = from;
        from = sorted;
    }
    fiber->touched = from;
    fiber->other = to;
}

/* Takes out the element that is the `at`-th in order. */
static inline ELEMENT unisparse_take_out_NAME(struct unisparse_fiber_NAME *fiber, size_t at) {
    const size_t number = fiber->touched[at];
    fiber->used[number] = false;
    return fiber->values[number];
}
