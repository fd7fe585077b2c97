#ifndef UNISPARSE_GROUPS
#define UNISPARSE_GROUPS

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

/* Reads an element of an array to which nothing writes while the kernel runs. */
template <class Value>
UNISPARSE_DEVICE Value unisparse_read(const Value *place) {
    return __ldg(place);
}

UNISPARSE_DEVICE bool unisparse_read(const bool *place) {
    return *place;
}

#endif
