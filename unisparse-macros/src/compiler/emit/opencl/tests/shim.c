/* A host of kernels without OpenCL: a launch is a loop over its work items, not in their order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
_Static_assert(sizeof(long) == 8, "`long` has 64 bits in OpenCL C");

#define __kernel static
#define __global

static size_t work_item[2];

static size_t get_global_id(uint dimension) {
    return work_item[dimension];
}

/* Every other item from the second on, then the rest from the last on. */
static size_t nth_item(size_t number, size_t items) {
    return number < items / 2 ? 2 * number + 1 : 2 * (items - 1 - number);
}

/* The number of work items in the second dimension. */
static size_t second(const long *items, size_t dimensions) {
    return dimensions == 1 ? 1 : (size_t)items[1] + 3;
}

static void *copied(const void *from, size_t bytes) {
    void *to = malloc(bytes);
    if (to == NULL && bytes != 0) {
        exit(2);
    }
    if (bytes != 0) {
        memcpy(to, from, bytes);
    }
    return to;
}

/* The last value of the list is not part of the array: a list is never empty. */
#define ARRAY(type, name, count, ...)                                                                                  \
    static const type name##_list[] = {__VA_ARGS__};                                                                   \
    type *name = copied(name##_list, (count) * sizeof(type));

#define ADDRESS(name) name
#define NUMBER(name) name

/* More work items than there are positions, as where they come in groups. */
#define LAUNCH(kernel, dimensions, items, ...)                                                                         \
    for (size_t number = 0, cols = second(items, dimensions), all = cols * ((size_t)items[0] + 3); number < all;       \
         number++) {                                                                                                   \
        const size_t item = nth_item(number, all);                                                                     \
        work_item[0] = item / cols;                                                                                    \
        work_item[1] = item % cols;                                                                                    \
        kernel(__VA_ARGS__);                                                                                           \
    }

#define READ(name, count, into) memcpy(into, name, (count) * sizeof(ELEMENT))
#define FREE(name) free(name)
#define START(path) (void)(path)
