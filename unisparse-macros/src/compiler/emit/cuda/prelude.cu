#ifdef __CUDACC_RTC__
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#else
#include <math.h>
#include <stdint.h>
#include <string.h>
#endif

#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#define UNISPARSE_LEAST(bits) (-UNISPARSE_GREATEST(bits) - 1)
#define UNISPARSE_GREATEST(bits) ((int64_t)(~(uint64_t)0 >> (65 - (bits))))
#ifdef __CUDACC_RTC__
#define INT8_MIN UNISPARSE_LEAST(8)
#define INT8_MAX UNISPARSE_GREATEST(8)
#define INT16_MIN UNISPARSE_LEAST(16)
#define INT16_MAX UNISPARSE_GREATEST(16)
#define INT32_MIN UNISPARSE_LEAST(32)
#define INT32_MAX UNISPARSE_GREATEST(32)
#define INT64_MIN UNISPARSE_LEAST(64)
#define INT64_MAX UNISPARSE_GREATEST(64)
#define UINT8_MAX 0xff
#define UINT16_MAX 0xffff
#define UINT32_MAX (~(uint32_t)0)
#define UINT64_MAX (~(uint64_t)0)
#endif

/* The number of lanes of a group: a power of two, at most 32. */
#ifndef UNISPARSE_LANES
#define UNISPARSE_LANES 32
#endif
/* The greatest number of threads in a block, a multiple of 32. */
#ifndef UNISPARSE_THREADS
#define UNISPARSE_THREADS 256
#endif
/* 1024 threads share a multiprocessor, so that each has 64 registers, and none is spilled to save more. */
#define UNISPARSE_KERNEL extern "C" __global__ void __launch_bounds__(UNISPARSE_THREADS, 1024 / UNISPARSE_THREADS)
#define UNISPARSE_DEVICE [[maybe_unused]] static __device__ __forceinline__

/* Positions, coordinates and counts have 32 bits, unless an extent or an array is longer than that allows. */
namespace unisparse {
#ifdef UNISPARSE_WIDE
typedef uint64_t size_t;
typedef int64_t ptrdiff_t;
#else
typedef uint32_t size_t;
typedef int32_t ptrdiff_t;
#endif
}
#undef SIZE_MAX
#undef PTRDIFF_MAX
#undef PTRDIFF_MIN
#define SIZE_MAX (~(size_t)0)
#define PTRDIFF_MAX ((ptrdiff_t)(SIZE_MAX / 2))
#define PTRDIFF_MIN (-PTRDIFF_MAX - 1)
