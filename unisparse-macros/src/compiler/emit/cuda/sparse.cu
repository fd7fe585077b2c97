#ifndef UNISPARSE_TABLES
#define UNISPARSE_TABLES

/* Replaces counts by the sums of those before, and the element after them by the sum of all. One block does this; `totals`
   has one place for each thread. */
UNISPARSE_DEVICE void unisparse_scan(uint64_t *counts, size_t count, uint64_t *totals) {
    const struct unisparse_range own = unisparse_chunk(count, threadIdx.x, blockDim.x);
    uint64_t total = 0;
    for (size_t at = own.start; at < own.end; at++) {
        total += counts[at];
    }
    totals[threadIdx.x] = total;
    __syncthreads();
    uint64_t start = 0;
    for (unsigned thread = 0; thread < threadIdx.x; thread++) {
        start += totals[thread];
    }
    for (size_t at = own.start; at < own.end; at++) {
        const uint64_t here = counts[at];
        counts[at] = start;
        start += here;
    }
    if (threadIdx.x + 1 == blockDim.x) {
        counts[count] = start;
    }
}

/* The least power of two that is greater. */
UNISPARSE_DEVICE uint64_t unisparse_room(uint64_t number) {
    uint64_t room = 1;
    while (room <= number) {
        room *= 2;
    }
    return room;
}

/* Makes all places of a table empty. */
template <unsigned lanes>
UNISPARSE_DEVICE void unisparse_clear(size_t *keys, size_t mask) {
    for (size_t at = threadIdx.x % lanes; at <= mask; at += lanes) {
        keys[at] = SIZE_MAX;
    }
    unisparse_wait<lanes>();
}

/* The place of a key. */
struct unisparse_place {
    size_t at;
    bool is_new;
};

/* Finds the place of a key, or takes an empty one. There is always an empty place. */
UNISPARSE_DEVICE struct unisparse_place unisparse_insert_key(size_t *keys, size_t mask, size_t key) {
    struct unisparse_place place = {(size_t)(key * 2654435761u >> 7) & mask, false};
    for (;; place.at = (place.at + 1) & mask) {
        size_t found = __ldcv(&keys[place.at]);
        if (found == SIZE_MAX) {
            found = atomicCAS(&keys[place.at], (size_t)SIZE_MAX, key);
            place.is_new = found == SIZE_MAX;
        }
        if (place.is_new || found == key) {
            return place;
        }
    }
}

/* Adds to the element of a key; whether it is the first to do so. No other lane adds to the same key at the same time. */
template <class Value, class Both>
UNISPARSE_DEVICE bool unisparse_insert(size_t *keys, Value *sums, size_t mask, size_t key, Value value, Both both) {
    const struct unisparse_place place = unisparse_insert_key(keys, mask, key);
    sums[place.at] = place.is_new ? value : both(sums[place.at], value);
    return place.is_new;
}

/* Sorts a table by its keys, the empty places last: a bitonic sort. */
template <unsigned lanes, class Value>
UNISPARSE_DEVICE void unisparse_sort(size_t *keys, Value *sums, size_t mask) {
    for (size_t length = 2; length != 0 && length - 1 <= mask; length *= 2) {
        for (size_t distance = length / 2; distance > 0; distance /= 2) {
            for (size_t at = threadIdx.x % lanes; at <= mask; at += lanes) {
                const size_t other = at ^ distance;
                if (at < other && (keys[at] > keys[other]) == ((at & length) == 0) && keys[at] != keys[other]) {
                    const size_t key = keys[at];
                    const Value sum = sums[at];
                    keys[at] = keys[other];
                    sums[at] = sums[other];
                    keys[other] = key;
                    sums[other] = sum;
                }
            }
            unisparse_wait<lanes>();
        }
    }
}

#endif
