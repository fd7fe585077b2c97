/* Makes the arrays of a format from the coordinates of its elements, in the order of its levels. A position has 64 bits. */
#ifdef __CUDACC_RTC__
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#else
#include <stdint.h>
#endif

#define ASSEMBLE_DEVICE static __device__ __forceinline__
#define ASSEMBLE_KERNEL extern "C" __global__ void __launch_bounds__(UNISPARSE_THREADS)

namespace unisparse {

/* An array of entries of 1, 2, 4 or 8 bytes. */
struct unisparse_entries {
    void *at;
    uint64_t width;
};

ASSEMBLE_DEVICE uint64_t unisparse_entry(struct unisparse_entries entries, uint64_t at) {
    switch (entries.width) {
    case 1: return ((const uint8_t *)entries.at)[at];
    case 2: return ((const uint16_t *)entries.at)[at];
    case 4: return ((const uint32_t *)entries.at)[at];
    default: return ((const uint64_t *)entries.at)[at];
    }
}

ASSEMBLE_DEVICE void unisparse_set_entry(struct unisparse_entries entries, uint64_t at, uint64_t entry) {
    switch (entries.width) {
    case 1: ((uint8_t *)entries.at)[at] = (uint8_t)entry; break;
    case 2: ((uint16_t *)entries.at)[at] = (uint16_t)entry; break;
    case 4: ((uint32_t *)entries.at)[at] = (uint32_t)entry; break;
    default: ((uint64_t *)entries.at)[at] = entry;
    }
}

ASSEMBLE_DEVICE uint64_t unisparse_thread() {
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

ASSEMBLE_DEVICE uint64_t unisparse_threads() {
    return (uint64_t)gridDim.x * blockDim.x;
}

/* The first of the neighbouring elements of a thread; that of the next thread is the end. */
ASSEMBLE_DEVICE uint64_t unisparse_first_of(uint64_t count, uint64_t thread, uint64_t threads) {
    const uint64_t each = (count + threads - 1) / threads, first = thread * each;
    return first < count ? first : count;
}

/* Sets `found` to one unless the coordinates of the elements ascend strictly, the first column first. */
ASSEMBLE_KERNEL unisparse_ascend(const struct unisparse_entries *columns, uint64_t dims, uint64_t count, uint64_t *found) {
    for (uint64_t at = unisparse_thread() + 1; at < count; at += unisparse_threads()) {
        bool is_after = false;
        for (uint64_t dim = 0; dim < dims; dim++) {
            const uint64_t before = unisparse_entry(columns[dim], at - 1), here = unisparse_entry(columns[dim], at);
            if (before != here) {
                is_after = before < here;
                break;
            }
        }
        if (!is_after) {
            *found = 1;
        }
    }
}

/* Moves to the positions of a level that has all coordinates. */
ASSEMBLE_KERNEL unisparse_all(uint64_t *positions, struct unisparse_entries column, uint64_t size, uint64_t count) {
    for (uint64_t at = unisparse_thread(); at < count; at += unisparse_threads()) {
        positions[at] = positions[at] * size + unisparse_entry(column, at);
    }
}

/* Whether an element starts an entry of a level: its parent or its coordinate is not that of the element before. */
ASSEMBLE_DEVICE bool unisparse_starts(const uint64_t *positions, struct unisparse_entries column, uint64_t is_copied, uint64_t at) {
    return is_copied || at == 0 || positions[at] != positions[at - 1] ||
        unisparse_entry(column, at) != unisparse_entry(column, at - 1);
}

/* Counts the entries that the elements of each thread start. */
ASSEMBLE_KERNEL unisparse_count(const uint64_t *positions, struct unisparse_entries column, uint64_t is_copied, uint64_t count, uint64_t *counts) {
    const uint64_t thread = unisparse_thread(), threads = unisparse_threads();
    uint64_t started = 0;
    for (uint64_t at = unisparse_first_of(count, thread, threads), end = unisparse_first_of(count, thread + 1, threads); at < end; at++) {
        started += unisparse_starts(positions, column, is_copied, at);
    }
    counts[thread] = started;
}

/* Replaces counts by the sums of those before, and the element after them by the sum of all. One block does this. */
ASSEMBLE_KERNEL unisparse_sums(uint64_t *counts, uint64_t count) {
    __shared__ uint64_t totals[UNISPARSE_THREADS];
    const uint64_t first = unisparse_first_of(count, threadIdx.x, blockDim.x);
    const uint64_t end = unisparse_first_of(count, threadIdx.x + 1, blockDim.x);
    uint64_t total = 0;
    for (uint64_t at = first; at < end; at++) {
        total += counts[at];
    }
    totals[threadIdx.x] = total;
    __syncthreads();
    uint64_t sum = 0;
    for (unsigned thread = 0; thread < threadIdx.x; thread++) {
        sum += totals[thread];
    }
    for (uint64_t at = first; at < end; at++) {
        const uint64_t here = counts[at];
        counts[at] = sum;
        sum += here;
    }
    if (threadIdx.x + 1 == blockDim.x) {
        counts[count] = sum;
    }
}

/* Writes the entries of a level, and the position of each element in it. */
ASSEMBLE_KERNEL unisparse_enter(const uint64_t *positions, struct unisparse_entries column, uint64_t is_copied, uint64_t count, const uint64_t *counts, uint64_t *next, struct unisparse_entries entries) {
    const uint64_t thread = unisparse_thread(), threads = unisparse_threads();
    uint64_t started = counts[thread];
    for (uint64_t at = unisparse_first_of(count, thread, threads), end = unisparse_first_of(count, thread + 1, threads); at < end; at++) {
        if (unisparse_starts(positions, column, is_copied, at)) {
            unisparse_set_entry(entries, started, unisparse_entry(column, at));
            started++;
        }
        next[at] = started - 1;
    }
}

/* Writes the first entry of each parent: that of the first element which is not before the parent. */
ASSEMBLE_KERNEL unisparse_point(const uint64_t *positions, const uint64_t *next, uint64_t count, uint64_t parents, uint64_t entries, struct unisparse_entries pointers) {
    for (uint64_t parent = unisparse_thread(); parent <= parents; parent += unisparse_threads()) {
        uint64_t low = 0, high = count;
        while (low < high) {
            const uint64_t middle = low + (high - low) / 2;
            if (positions[middle] < parent) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        unisparse_set_entry(pointers, parent, low < count ? next[low] : entries);
    }
}

/* Finds the greatest number of entries of the parents of each thread. */
ASSEMBLE_KERNEL unisparse_longest(struct unisparse_entries pointers, uint64_t parents, uint64_t *longest) {
    uint64_t found = 0;
    for (uint64_t parent = unisparse_thread(); parent < parents; parent += unisparse_threads()) {
        const uint64_t length = unisparse_entry(pointers, parent + 1) - unisparse_entry(pointers, parent);
        found = found < length ? length : found;
    }
    longest[unisparse_thread()] = found;
}

}
