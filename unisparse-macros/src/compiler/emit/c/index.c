static inline ptrdiff_t unisparse_key_NAME(const struct unisparse_keys *keys, size_t at) {
    return (ptrdiff_t)*(const INDEX *)(keys->first + (uint64_t)at * keys->stride);
}

/* The first of these positions whose coordinate is not less, or the end. */
static inline size_t unisparse_bisect_NAME(const struct unisparse_keys *keys, size_t low, size_t high, ptrdiff_t coordinate) {
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (unisparse_key_NAME(keys, middle) < coordinate) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The same from the first that is not passed on: quickest if it is near. */
static inline size_t unisparse_gallop_NAME(const struct unisparse_keys *keys, ptrdiff_t coordinate) {
    size_t low = keys->at, step = 1;
    while (step <= keys->end - low && unisparse_key_NAME(keys, low + step - 1) < coordinate) {
        low += step;
        step *= 2;
    }
    return unisparse_bisect_NAME(keys, low, step <= keys->end - low ? low + step - 1 : keys->end, coordinate);
}

/* The coordinate that is next; the greatest number at the end. */
static inline ptrdiff_t unisparse_next_NAME(const struct unisparse_keys *keys) {
    return keys->at < keys->end ? unisparse_key_NAME(keys, keys->at) : PTRDIFF_MAX;
}

/* Moves to the first coordinate that is not less, forth or back; whether it is equal. */
static inline bool unisparse_seek_NAME(struct unisparse_keys *keys, ptrdiff_t coordinate) {
    if (keys->at > keys->start && unisparse_key_NAME(keys, keys->at - 1) >= coordinate) {
        keys->at = unisparse_bisect_NAME(keys, keys->start, keys->at - 1, coordinate);
    } else {
        keys->at = unisparse_gallop_NAME(keys, coordinate);
    }
    return unisparse_next_NAME(keys) == coordinate;
}

/* The position of the coordinate if it is next, and moves past it. */
static inline struct unisparse_range unisparse_take_NAME(struct unisparse_keys *keys, ptrdiff_t coordinate) {
    struct unisparse_range taken = {keys->at, keys->at};
    if (unisparse_next_NAME(keys) == coordinate) {
        taken.end = ++keys->at;
    }
    return taken;
}

/* The positions of the coordinate if it is next, and moves past them. */
static inline struct unisparse_range unisparse_take_run_NAME(struct unisparse_keys *keys, ptrdiff_t coordinate) {
    struct unisparse_range taken = {keys->at, keys->at};
    if (unisparse_next_NAME(keys) == coordinate) {
        taken.end = keys->at = unisparse_gallop_NAME(keys, coordinate + 1);
    }
    return taken;
}

/* The position of a coordinate, of which there is one at most. */
static inline struct unisparse_range unisparse_find_NAME(struct unisparse_keys *keys, ptrdiff_t coordinate) {
    unisparse_seek_NAME(keys, coordinate);
    return unisparse_take_NAME(keys, coordinate);
}

/* The positions of a coordinate. */
static inline struct unisparse_range unisparse_run_NAME(struct unisparse_keys *keys, ptrdiff_t coordinate) {
    unisparse_seek_NAME(keys, coordinate);
    return unisparse_take_run_NAME(keys, coordinate);
}

/* The positions of the coordinates from `low` to below `high`. */
static inline struct unisparse_range unisparse_between_NAME(struct unisparse_keys keys, ptrdiff_t low, ptrdiff_t high) {
    struct unisparse_range between;
    between.start = unisparse_bisect_NAME(&keys, keys.start, keys.end, low);
    between.end = unisparse_bisect_NAME(&keys, between.start, keys.end, high);
    return between;
}
