// A stand-in for a CUDA device: compiles kernels as C++ and runs every thread as a fiber of one thread of the processor.
//
// Blocks run one after another. The threads of a block run in the order of the schedule, each until it waits for others
// or ends: 0 ascending, 1 descending, others random, a new order for each round. Before each block, shared memory is
// filled with ones, which is NaN. Arrays end at a page that cannot be accessed.
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <type_traits>
#include <unistd.h>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#define UNISPARSE_CPU
#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
// Functions whose accesses are not plain.
#define UNISPARSE_CPU_UNWATCHED static __attribute__((no_sanitize_thread, noinline))
#define __shared__ static __attribute__((section("unisparse_shared"), aligned(16)))

extern "C" char __start_unisparse_shared[], __stop_unisparse_shared[];
// The section is never empty.
__shared__ char unisparse_cpu_unused[16] __attribute__((used));

namespace unisparse_cpu {

struct Dim {
    unsigned x, y, z;
};

// How a thread accesses memory.
enum class Access { Read, Write, Atomic };

// Records an access of memory that threads share. Defined in races.h, or does nothing.
static void record(const void *place, size_t bytes, Access access);
static void record_wait(unsigned first, unsigned mask);
static void record_barrier();
static void record_launch();
// Watches an array that threads write. Defined there, too.
static void share(const void *array, size_t bytes);

enum class State { Ready, Block, Warp, Done };

// What a thread does with other lanes of its warp.
enum class Operation { Shuffle, Wait };

struct Fiber {
#if defined(__x86_64__)
    void *stack;
#else
    ucontext_t context;
#endif
    State state;
    unsigned thread, mask, source;
    Operation operation;
    uint64_t value, result;
};

constexpr size_t STACK = 1 << 16;
#if defined(UNISPARSE_CPU_LIBRARY)
constexpr unsigned MOST = UNISPARSE_THREADS;
#else
constexpr unsigned MOST = 1024;
#endif

struct Device {
    const char *kernel = "";
    unsigned schedule = 0;
    uint64_t random = 1;
    Dim grid = {1, 1, 1}, block = {1, 1, 1}, index = {0, 0, 0};
    Fiber fibers[MOST];
    char *stacks = nullptr;
    Fiber *current = nullptr;
    void (*body)(void *) = nullptr;
    void *given = nullptr;
#if defined(__x86_64__)
    void *scheduler = nullptr;
#else
    ucontext_t scheduler;
#endif
};

static Device device;

[[noreturn]] static void fault(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: block %u: ", device.kernel, device.index.x);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    _exit(6);
}

static void on_signal(int) {
    static const char text[] = ": accesses memory outside of its arrays\n";
    ssize_t written = write(2, device.kernel, strlen(device.kernel));
    written += write(2, text, sizeof text - 1);
    _exit(written < 0 ? 8 : 7);
}

// ---- fibers ----

#if defined(__x86_64__)
extern "C" void unisparse_cpu_switch(void **from, void *to);
asm(R"(
.text
.type unisparse_cpu_switch, @function
unisparse_cpu_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size unisparse_cpu_switch, . - unisparse_cpu_switch
)");
#endif

static void leave() {
    Fiber *fiber = device.current;
#if defined(__x86_64__)
    unisparse_cpu_switch(&fiber->stack, device.scheduler);
#else
    swapcontext(&fiber->context, &device.scheduler);
#endif
}

static void enter(Fiber *fiber) {
    device.current = fiber;
#if defined(__x86_64__)
    unisparse_cpu_switch(&device.scheduler, fiber->stack);
#else
    swapcontext(&device.scheduler, &fiber->context);
#endif
}

static void run_thread() {
    device.body(device.given);
    device.current->state = State::Done;
    leave();
}

// Every stack ends at a page that cannot be accessed.
static void prepare(Fiber *fiber, unsigned thread) {
    const size_t page = 4096, room = STACK + page;
    if (device.stacks == nullptr) {
        void *stacks = mmap(nullptr, room * MOST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stacks == MAP_FAILED) {
            fault("no memory for stacks");
        }
        device.stacks = (char *)stacks;
        for (unsigned at = 0; at < MOST; at++) {
            mprotect(device.stacks + at * room, page, PROT_NONE);
        }
    }
    fiber->state = State::Ready;
    fiber->thread = thread;
    char *end = device.stacks + (thread + 1) * room;
#if defined(__x86_64__)
    uint64_t *top = (uint64_t *)end - 2;
    top[0] = (uint64_t)&run_thread;
    fiber->stack = top - 6;
#else
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = end - STACK;
    fiber->context.uc_stack.ss_size = STACK;
    makecontext(&fiber->context, run_thread, 0);
#endif
}

// ---- threads that wait for each other ----

static void wait_for_block() {
    device.current->state = State::Block;
    leave();
}

// Waits until all lanes of the mask are here, and gives each the value of the lane that it names.
static uint64_t meet(unsigned mask, Operation operation, uint64_t value, unsigned source) {
    Fiber *fiber = device.current;
    const unsigned lane = fiber->thread % 32, first = fiber->thread - lane;
    if ((mask >> lane & 1) == 0) {
        fault("thread %u (lane %u) is not in its own mask %08x", fiber->thread, lane, mask);
    }
    if (operation == Operation::Shuffle && (mask >> (source % 32) & 1) == 0) {
        fault("thread %u (lane %u) reads lane %u, which is not in the mask %08x", fiber->thread, lane, source, mask);
    }
    fiber->mask = mask;
    fiber->operation = operation;
    fiber->value = value;
    fiber->source = source;
    fiber->state = State::Warp;
    bool all = true;
    for (unsigned other = 0; other < 32; other++) {
        if ((mask >> other & 1) == 0) {
            continue;
        }
        if (first + other >= device.block.x) {
            fault("the mask %08x names lane %u, which is outside of the block", mask, other);
        }
        const Fiber &of = device.fibers[first + other];
        if (of.state == State::Done) {
            fault("thread %u waits for lane %u, which has returned", fiber->thread, other);
        }
        if (of.state == State::Warp && (of.mask != mask || of.operation != operation)) {
            fault("threads %u and %u of a warp wait for different lanes or operations", fiber->thread, of.thread);
        }
        all = all && of.state == State::Warp;
    }
    if (!all) {
        leave();
        return fiber->result;
    }
    if (operation == Operation::Wait) {
        record_wait(first, mask);
    }
    for (unsigned other = 0; other < 32; other++) {
        if (mask >> other & 1) {
            Fiber &of = device.fibers[first + other];
            of.result = device.fibers[first + of.source % 32].value;
            of.state = State::Ready;
        }
    }
    return fiber->result;
}

static uint64_t next_random() {
    device.random ^= device.random << 13;
    device.random ^= device.random >> 7;
    device.random ^= device.random << 17;
    return device.random;
}

// The order of a round.
static void order(unsigned *threads, unsigned count) {
    for (unsigned at = 0; at < count; at++) {
        threads[at] = device.schedule == 1 ? count - 1 - at : at;
    }
    for (unsigned at = count; device.schedule > 1 && at > 1; at--) {
        const unsigned other = (unsigned)(next_random() % at), thread = threads[at - 1];
        threads[at - 1] = threads[other];
        threads[other] = thread;
    }
}

static void run_block() {
    const unsigned count = device.block.x;
    memset(__start_unisparse_shared, 0xff, (size_t)(__stop_unisparse_shared - __start_unisparse_shared));
    for (unsigned thread = 0; thread < count; thread++) {
        prepare(&device.fibers[thread], thread);
    }
    static unsigned threads[MOST];
    for (;;) {
        order(threads, count);
        bool progress = false;
        for (unsigned at = 0; at < count; at++) {
            Fiber *fiber = &device.fibers[threads[at]];
            if (fiber->state == State::Ready) {
                progress = true;
                enter(fiber);
            }
        }
        const Fiber *waits = nullptr, *done = nullptr, *lane = nullptr;
        for (unsigned thread = 0; thread < count; thread++) {
            const Fiber *fiber = &device.fibers[thread];
            waits = fiber->state == State::Block ? fiber : waits;
            done = fiber->state == State::Done ? fiber : done;
            lane = fiber->state == State::Warp ? fiber : lane;
            progress = progress || fiber->state == State::Ready;
        }
        if (progress) {
            continue;
        }
        if (lane != nullptr) {
            fault("thread %u waits for lanes of its warp (mask %08x), some of which never come", lane->thread, lane->mask);
        }
        if (waits == nullptr) {
            return;
        }
        if (done != nullptr) {
            fault("barrier divergence: thread %u waits in __syncthreads, thread %u has returned", waits->thread, done->thread);
        }
        record_barrier();
        for (unsigned thread = 0; thread < count; thread++) {
            device.fibers[thread].state = State::Ready;
        }
    }
}

// Runs `body` as every thread of `grid` blocks of `block` threads.
template <class Body>
static void launch(const char *kernel, unsigned grid, unsigned block, unsigned schedule, Body body) {
    device.kernel = kernel;
    device.schedule = schedule;
    device.random = schedule + 0x9e3779b97f4a7c15u;
    device.grid = {grid, 1, 1};
    device.block = {block, 1, 1};
    if (grid == 0 || block == 0 || block > MOST || block > UNISPARSE_THREADS) {
        fault("a launch of %u blocks of %u threads", grid, block);
    }
    record_launch();
    device.given = &body;
    device.body = [](void *given) { (*(Body *)given)(); };
    for (unsigned at = 0; at < grid; at++) {
        device.index = {schedule == 1 ? grid - 1 - at : at, 0, 0};
        run_block();
    }
    device.current = nullptr;
}

#if defined(UNISPARSE_CPU_LIBRARY)
// As `launch`, with the stacks of a launch of any library, if there was one: a process has one set of stacks for all of its libraries.
template <class Body>
static void *launch_with(void *stacks, const char *kernel, unsigned grid, unsigned block, unsigned schedule, Body body) {
    device.stacks = (char *)stacks;
    launch(kernel, grid, block, schedule, body);
    return device.stacks;
}
#endif

// ---- memory ----

// An array that ends at a page that cannot be accessed, filled with ones.
static void *allocate(size_t bytes) {
    const size_t page = 4096, kept = (bytes + 15) / 16 * 16, room = (kept + page - 1) / page * page + page;
    char *all = (char *)mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) {
        fault("no memory");
    }
    mprotect(all + room - page, page, PROT_NONE);
    memset(all, 0xff, room - page);
    return all + room - page - kept;
}

static void release(const void *array, size_t bytes) {
    const size_t page = 4096, kept = (bytes + 15) / 16 * 16, room = (kept + page - 1) / page * page + page;
    munmap((char *)(uintptr_t)array + kept + page - room, room);
}

// The arrays of a call, which are released after it.
struct Room {
    void *array;
    size_t bytes;
};

static Room *rooms;
static size_t room_count, room_most;

static void *room(size_t bytes) {
    if (room_count == room_most) {
        room_most = room_most == 0 ? 64 : 2 * room_most;
        rooms = (Room *)realloc(rooms, room_most * sizeof(Room));
        if (rooms == nullptr) {
            fault("no memory");
        }
    }
    rooms[room_count] = {allocate(bytes), bytes};
    return rooms[room_count++].array;
}

static void release_rooms() {
    while (room_count > 0) {
        room_count--;
        release(rooms[room_count].array, rooms[room_count].bytes);
    }
}

// Makes room for an array that threads write.
template <class Entry>
static void make(Entry **array, uint64_t count) {
    *array = (Entry *)room(count * sizeof(Entry));
    share(*array, count * sizeof(Entry));
}

// Makes room for the elements of a sparse output, a struct of pointers to coordinates and to values.
template <class Coordinate, class Output>
static void make_elements(Output *output, uint64_t count) {
    for (size_t dim = 0; dim + 1 < sizeof(Output) / sizeof(void *); dim++) {
        Coordinate *coordinates;
        make(&coordinates, count);
        memcpy((char *)output + dim * sizeof(void *), &coordinates, sizeof(void *));
    }
    make(&output->values, count);
}

static void watch() {
    static char stack[1 << 16];
    stack_t other = {};
    other.ss_sp = stack;
    other.ss_size = sizeof stack;
    sigaltstack(&other, nullptr);
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGBUS, &action, nullptr);
}

static inline float wide_half(uint16_t half) {
    const unsigned exponent = half >> 10 & 31, fraction = half & 1023;
    float value = exponent == 0 ? __builtin_ldexpf((float)fraction, -24)
        : exponent < 31 ? __builtin_ldexpf((float)(fraction | 1024), (int)exponent - 25)
        : fraction == 0 ? __builtin_inff() : __builtin_nanf("");
    return half >> 15 ? -value : value;
}

template <class To, class From>
static inline To bits(From from) {
    To to = {};
    memcpy(&to, &from, sizeof from);
    return to;
}

}

#define threadIdx (unisparse_cpu::Dim{unisparse_cpu::device.current->thread, 0, 0})
#define blockIdx (unisparse_cpu::device.index)
#define blockDim (unisparse_cpu::device.block)
#define gridDim (unisparse_cpu::device.grid)

static inline void __syncthreads() {
    unisparse_cpu::wait_for_block();
}

static inline void __syncwarp(unsigned mask) {
    unisparse_cpu::meet(mask, unisparse_cpu::Operation::Wait, 0, 0);
}

template <class Value>
static inline Value __shfl_xor_sync(unsigned mask, Value value, unsigned distance) {
    const unsigned lane = unisparse_cpu::device.current->thread % 32;
    const uint64_t bits = unisparse_cpu::bits<uint64_t>(value);
    const uint64_t other = unisparse_cpu::meet(mask, unisparse_cpu::Operation::Shuffle, bits, lane ^ distance);
    Value result;
    memcpy(&result, &other, sizeof result);
    return result;
}

// The value of a lane among the `width` neighbouring lanes to which this one belongs.
template <class Value>
static inline Value __shfl_sync(unsigned mask, Value value, unsigned source, unsigned width) {
    const unsigned lane = unisparse_cpu::device.current->thread % 32;
    const uint64_t bits = unisparse_cpu::bits<uint64_t>(value);
    const unsigned from = lane / width * width + source % width;
    const uint64_t other = unisparse_cpu::meet(mask, unisparse_cpu::Operation::Shuffle, bits, from);
    Value result;
    memcpy(&result, &other, sizeof result);
    return result;
}

template <class Value>
UNISPARSE_CPU_UNWATCHED Value __ldcv(const Value *place) {
    unisparse_cpu::record(place, sizeof *place, unisparse_cpu::Access::Atomic);
    return *place;
}

template <class Value>
static inline Value __ldg(const Value *place) {
    static_assert(!std::is_same<Value, bool>::value, "CUDA has no __ldg of bool");
    return *place;
}

static inline float __uint_as_float(unsigned bits) {
    return unisparse_cpu::bits<float>(bits);
}

template <class Value>
UNISPARSE_CPU_UNWATCHED Value atomicAdd(Value *place, Value value) {
    unisparse_cpu::record(place, sizeof *place, unisparse_cpu::Access::Atomic);
    const Value before = *place;
    *place = before + value;
    return before;
}

UNISPARSE_CPU_UNWATCHED int32_t atomicAdd(int32_t *place, int32_t value) {
    unisparse_cpu::record(place, sizeof *place, unisparse_cpu::Access::Atomic);
    const int32_t before = *place;
    *place = (int32_t)((uint32_t)before + (uint32_t)value);
    return before;
}

template <class Value>
UNISPARSE_CPU_UNWATCHED Value atomicCAS(Value *place, Value expected, Value value) {
    unisparse_cpu::record(place, sizeof *place, unisparse_cpu::Access::Atomic);
    const Value before = *place;
    if (before == expected) {
        *place = value;
    }
    return before;
}

#if defined(UNISPARSE_CPU_RACES)
#include "races.h"
#else
namespace unisparse_cpu {

static void record(const void *, size_t, Access) {}
static void record_wait(unsigned, unsigned) {}
static void record_barrier() {}
static void record_launch() {}
static void share(const void *, size_t) {}
static void unshare() {}

}
#endif
