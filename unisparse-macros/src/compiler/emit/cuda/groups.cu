#ifndef UNISPARSE_GROUPS
#define UNISPARSE_GROUPS

/* Reads an element of an array to which nothing writes while the kernel runs. */
template <class Value>
UNISPARSE_DEVICE Value unisparse_read(const Value *place) {
    return __ldg(place);
}

UNISPARSE_DEVICE bool unisparse_read(const bool *place) {
    return *place;
}

/* The number of a group of lanes among all groups of the launch. */
template <unsigned lanes>
UNISPARSE_DEVICE size_t unisparse_worker() {
    return (size_t)(((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / lanes);
}

/* The number of groups of the launch. */
template <unsigned lanes>
UNISPARSE_DEVICE size_t unisparse_workers() {
    return (size_t)((uint64_t)gridDim.x * blockDim.x / lanes);
}

/* The lanes of the warp that belong to the group of this thread. */
template <unsigned lanes>
UNISPARSE_DEVICE unsigned unisparse_mask() {
    if constexpr (lanes == 32) {
        return 0xffffffffu;
    } else {
        return ((1u << lanes) - 1) << (threadIdx.x % 32 / lanes * lanes);
    }
}

/* Waits for the lanes of the group, which then see what the others wrote. */
template <unsigned lanes>
UNISPARSE_DEVICE void unisparse_wait() {
    if constexpr (lanes > 1) {
        __syncwarp(unisparse_mask<lanes>());
    }
}

/* The value of the lane whose number differs in the bits of `distance`. */
template <unsigned lanes, class Value>
UNISPARSE_DEVICE Value unisparse_other(Value value, unsigned distance) {
    if constexpr (sizeof(Value) < 4) {
        return (Value)__shfl_xor_sync(unisparse_mask<lanes>(), (int)value, distance);
    } else {
        return __shfl_xor_sync(unisparse_mask<lanes>(), value, distance);
    }
}

/* The value of another lane of the group. */
template <unsigned lanes, class Value>
UNISPARSE_DEVICE Value unisparse_of_lane(Value value, unsigned lane) {
    if constexpr (sizeof(Value) < 4) {
        return (Value)__shfl_sync(unisparse_mask<lanes>(), (int)value, lane, lanes);
    } else {
        return __shfl_sync(unisparse_mask<lanes>(), value, lane, lanes);
    }
}

/* The values of all lanes of the group, reduced to one. */
template <unsigned lanes, class Value, class Both>
UNISPARSE_DEVICE Value unisparse_reduced(Value value, Both both) {
#pragma unroll
    for (unsigned distance = lanes / 2; distance > 0; distance /= 2) {
        value = both(value, unisparse_other<lanes>(value, distance));
    }
    return value;
}

/* The values of all threads of the block, reduced to one in the first thread. `totals` has one place for each warp. */
template <class Value, class Both>
UNISPARSE_DEVICE Value unisparse_block_reduced(Value value, Value *totals, Both both) {
    value = unisparse_reduced<32>(value, both);
    if (threadIdx.x % 32 == 0) {
        totals[threadIdx.x / 32] = value;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned warp = 1; warp < blockDim.x / 32; warp++) {
            value = both(value, totals[warp]);
        }
    }
    return value;
}

UNISPARSE_DEVICE size_t unisparse_min(size_t left, size_t right) {
    return left < right ? left : right;
}

UNISPARSE_DEVICE size_t unisparse_max(size_t left, size_t right) {
    return left > right ? left : right;
}

/* The positions of a worker, if all workers take neighbouring positions, about as many each. */
UNISPARSE_DEVICE struct unisparse_range unisparse_chunk(size_t count, size_t worker, size_t workers) {
    const size_t each = unisparse_ceil(count, workers);
    struct unisparse_range chunk;
    chunk.start = each == 0 || worker > count / each ? count : worker * each;
    chunk.end = count - chunk.start < each ? count : chunk.start + each;
    return chunk;
}

/* The coordinate of an entry if the entry before has the same; else, or if there is no such entry, the greatest number. */
template <class Coordinate>
UNISPARSE_DEVICE size_t unisparse_continued(size_t at, size_t count, Coordinate coordinate) {
    return at > 0 && at < count && coordinate(at - 1) == coordinate(at) ? coordinate(at) : SIZE_MAX;
}

/* The part of a sum that is not yet added to its element. */
template <class Value>
struct unisparse_open {
    size_t key;
    Value sum;
};

/* Adds the values of equal keys, which are in neighbouring lanes, and puts each sum that ends before the last lane. The sum
   of the last lane stays open. The greatest number is no key. */
template <unsigned lanes, class Value, class Both, class Put>
UNISPARSE_DEVICE void unisparse_segments(size_t key, Value value, struct unisparse_open<Value> &open, Both both, Put put) {
    const unsigned lane = threadIdx.x % lanes;
    if (lane == 0 && open.key == key) {
        value = both(open.sum, value);
    } else if (lane == 0 && open.key != SIZE_MAX) {
        put(open.key, open.sum);
    }
#pragma unroll
    for (unsigned distance = 1; distance < lanes; distance *= 2) {
        const unsigned from = lane < distance ? lane : lane - distance;
        const size_t other = unisparse_of_lane<lanes>(key, from);
        const Value before = unisparse_of_lane<lanes>(value, from);
        if (lane >= distance && other == key) {
            value = both(before, value);
        }
    }
    const size_t next = unisparse_of_lane<lanes>(key, lane + 1 < lanes ? lane + 1 : lane);
    if (lane + 1 < lanes && next != key && key != SIZE_MAX) {
        put(key, value);
    }
    open.key = unisparse_of_lane<lanes>(key, lanes - 1);
    open.sum = unisparse_of_lane<lanes>(value, lanes - 1);
}

/* The part of a worker if all workers pass as many rows and entries. */
struct unisparse_path {
    /* The first row, and the first entry. */
    size_t row, entry;
    /* The number of rows and entries up to the end of the part. */
    size_t end;
    /* The first row if another worker began it, else the greatest number. */
    size_t begun;
};

/* The greatest row whose number plus its start is at most `bound`. The lanes of a group try rows that divide what is left. */
template <unsigned lanes, class Pointer>
UNISPARSE_DEVICE size_t unisparse_row(const Pointer *pointers, size_t rows, size_t bound) {
    constexpr unsigned ways = lanes == 1 ? 2 : lanes;
    const unsigned way = lanes == 1 ? 1 : threadIdx.x % lanes;
    size_t low = 0, left = rows + 1;
    while (left > 1) {
        const size_t step = unisparse_ceil(left, ways), row = low + way * step;
        const bool is_below = way == 0 || (row < low + left && (size_t)__ldg(&pointers[row]) + row <= bound);
        const size_t found = unisparse_reduced<lanes>(is_below ? row : low, unisparse_max);
        left = unisparse_min(step, low + left - found);
        low = found;
    }
    return low;
}

template <unsigned lanes, class Pointer>
UNISPARSE_DEVICE struct unisparse_path unisparse_path(const Pointer *pointers, size_t rows, size_t worker, size_t workers) {
    const struct unisparse_range part = unisparse_chunk(rows + (size_t)__ldg(&pointers[rows]), worker, workers);
    const size_t row = unisparse_row<lanes>(pointers, rows, part.start);
    struct unisparse_path path;
    path.row = row;
    path.entry = part.start - row;
    path.end = part.end;
    path.begun = part.start < part.end && (size_t)__ldg(&pointers[row]) < path.entry ? row : SIZE_MAX;
    return path;
}

/* The worker after the last one whose part starts in a row or at its end. */
template <class Pointer>
UNISPARSE_DEVICE size_t unisparse_path_end(const Pointer *pointers, size_t rows, size_t row, size_t workers) {
    const size_t each = unisparse_ceil(rows + (size_t)__ldg(&pointers[rows]), workers);
    return unisparse_min(workers, ((size_t)__ldg(&pointers[row + 1]) + row) / each + 1);
}

/* The worker after the last one of the neighbours that start with the coordinate of `first`: the steps double, then halve. */
template <class Started>
UNISPARSE_DEVICE size_t unisparse_continued_end(size_t first, size_t workers, Started started) {
    const size_t key = started(first);
    size_t last = first, step = 1;
    while (step < workers - last && started(last + step) == key) {
        last += step;
        step *= 2;
    }
    for (; step > 0; step /= 2) {
        if (step < workers - last && started(last + step) == key) {
            last += step;
        }
    }
    return last + 1;
}

/* Adds the carries of workers to the elements of the output, in order. `started` is the first coordinate of a worker if
   another began it, else the greatest number; `ended` is the worker after the last one that starts with a coordinate. */
template <class Value, class Both, class Started, class Ended>
UNISPARSE_DEVICE void unisparse_add_carries(Value *output, const Value *carries, size_t count, size_t stride, size_t worker, size_t workers, Both both, Started started, Ended ended) {
    for (uint64_t at = worker; at < (uint64_t)count * stride; at += workers) {
        const size_t first = (size_t)(at / stride), element = (size_t)(at % stride), key = started(first);
        if (key == SIZE_MAX || (first > 0 && started(first - 1) == key)) {
            continue;
        }
        Value sum = output[key * stride + element];
        const size_t end = ended(first, key);
#pragma unroll 8
        for (size_t of = first; of < end; of++) {
            sum = both(sum, unisparse_read(&carries[of * stride + element]));
        }
        output[key * stride + element] = sum;
    }
}

template <class To, class From>
UNISPARSE_DEVICE To unisparse_bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

template <unsigned bytes>
struct unisparse_part {
    typedef uint8_t Bits;
};

template <>
struct unisparse_part<2> {
    typedef uint16_t Bits;
};

/* Replaces `bits` by what `change` makes of them, in one step. */
template <class Bits, class Change>
UNISPARSE_DEVICE void unisparse_change(Bits *bits, Change change) {
    Bits found = __ldcv(bits);
    for (;;) {
        const Bits changed = change(found);
        if (changed == found) {
            return;
        }
        const Bits before = atomicCAS(bits, found, changed);
        if (before == found) {
            return;
        }
        found = before;
    }
}

/* Reduces an element that other threads reduce, too. */
template <class Value, class Both>
UNISPARSE_DEVICE void unisparse_atomic(Value *place, Value value, Both both) {
    if constexpr (sizeof(Value) == 8) {
        typedef unsigned long long Bits;
        unisparse_change((Bits *)place, [=](Bits found) {
            return unisparse_bits<Bits>(both(unisparse_bits<Value>(found), value));
        });
    } else if constexpr (sizeof(Value) == 4) {
        unisparse_change((unsigned *)place, [=](unsigned found) {
            return unisparse_bits<unsigned>(both(unisparse_bits<Value>(found), value));
        });
    } else {
        /* The element is a part of a word. */
        typedef typename unisparse_part<sizeof(Value)>::Bits Bits;
        const uint64_t address = (uint64_t)place;
        const unsigned shift = (unsigned)(address % 4) * 8, mask = (unsigned)(Bits)~(Bits)0;
        unisparse_change((unsigned *)(address - address % 4), [=](unsigned found) {
            const Value part = unisparse_bits<Value>((Bits)(found >> shift));
            const unsigned changed = unisparse_bits<Bits>(both(part, value));
            return (found & ~(mask << shift)) | changed << shift;
        });
    }
}

UNISPARSE_DEVICE void unisparse_atomic_plus(float *place, float value) {
    atomicAdd(place, value);
}

UNISPARSE_DEVICE void unisparse_atomic_plus(double *place, double value) {
    atomicAdd(place, value);
}

UNISPARSE_DEVICE void unisparse_atomic_plus(int32_t *place, int32_t value) {
    atomicAdd(place, value);
}

UNISPARSE_DEVICE void unisparse_atomic_plus(uint32_t *place, uint32_t value) {
    atomicAdd(place, value);
}

UNISPARSE_DEVICE void unisparse_atomic_plus(int64_t *place, int64_t value) {
    atomicAdd((unsigned long long *)place, (unsigned long long)value);
}

UNISPARSE_DEVICE void unisparse_atomic_plus(uint64_t *place, uint64_t value) {
    atomicAdd((unsigned long long *)place, (unsigned long long)value);
}

#endif
