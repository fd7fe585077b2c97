#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Before a loop whose iterations write to places of their own. */
#ifdef _OPENMP
#define UNISPARSE_PARALLEL _Pragma("omp parallel for schedule(guided)")
#else
#define UNISPARSE_PARALLEL
#endif

/* Prefetches the cache line of an address that is read later. */
#ifdef __GNUC__
#define UNISPARSE_PREFETCH(address) __builtin_prefetch(address)
#else
#define UNISPARSE_PREFETCH(address) ((void)(address))
#endif

/* Keeps a loop whole that GCC would unroll before it looks for vectors. */
#if defined(__GNUC__) && !defined(__clang__)
#define UNISPARSE_VECTORS _Pragma("GCC unroll 1")
#else
#define UNISPARSE_VECTORS
#endif

/* Arrays of more bytes than this are not in a near cache when they are read at random. */
#ifndef UNISPARSE_NEAR
#define UNISPARSE_NEAR ((size_t)1 << 20)
#endif

