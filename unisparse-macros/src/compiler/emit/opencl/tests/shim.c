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

static size_t work_item;

static size_t get_global_id(uint dimension) {
    (void)dimension;
    return work_item;
}

/* Every other item from the second on, then the rest from the last on. */
static size_t nth_item(size_t number, size_t items) {
    return number < items / 2 ? 2 * number + 1 : 2 * (items - 1 - number);
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
#define LAUNCH(kernel, items, ...)                                                                                     \
    for (size_t number = 0, all = (size_t)(items) + 3; number < all; number++) {                                       \
        work_item = nth_item(number, all);                                                                             \
        kernel(__VA_ARGS__);                                                                                           \
    }

#define READ(name, count, into) memcpy(into, name, (count) * sizeof(ELEMENT))
#define FREE(name) free(name)
#define START(path) (void)(path)
