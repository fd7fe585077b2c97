// Finds accesses of different threads to one place, of which one writes and nothing orders them.
//
// The compiler instruments plain accesses as for its own thread sanitizer (`-fsanitize=thread`); the functions that it
// calls are these. A barrier orders the accesses of a block, `__syncwarp` those of its lanes, nothing those of two blocks.
#pragma once

#include <unordered_map>
#include <vector>

namespace unisparse_cpu {

#define UNWATCHED __attribute__((no_sanitize_thread))

struct Event {
    unsigned block, thread;
    uint64_t time;
    Access access;
};

struct Races {
    // The shared places that are watched.
    std::vector<std::pair<uintptr_t, uintptr_t>> ranges;
    // The last access of each kind and thread, by byte.
    std::unordered_map<uintptr_t, std::vector<Event>> events;
    uint64_t time = 0, barrier = 0;
    // When two threads of the block waited for each other last.
    std::unordered_map<uint64_t, uint64_t> waits;
    bool records = false;
};

static Races races;

// Watches shared memory only.
UNWATCHED static void unshare() {
    races.ranges.clear();
    races.ranges.push_back({(uintptr_t)__start_unisparse_shared, (uintptr_t)__stop_unisparse_shared});
}

// Watches an array that threads write, too.
UNWATCHED static void share(const void *array, size_t bytes) {
    races.ranges.push_back({(uintptr_t)array, (uintptr_t)array + bytes});
}

UNWATCHED static void record_launch() {
    races.events.clear();
    races.waits.clear();
    races.barrier = 0;
}

UNWATCHED static uint64_t pair(unsigned one, unsigned other) {
    return (uint64_t)one * MOST + other;
}

UNWATCHED static void record_wait(unsigned first, unsigned mask) {
    const uint64_t now = ++races.time;
    for (unsigned one = 0; one < 32; one++) {
        for (unsigned other = 0; other < 32; other++) {
            if ((mask >> one & 1) && (mask >> other & 1)) {
                races.waits[pair(first + one, first + other)] = now;
            }
        }
    }
}

UNWATCHED static void record_barrier() {
    races.barrier = ++races.time;
}

UNWATCHED static const char *named(Access access) {
    return access == Access::Read ? "reads" : access == Access::Write ? "writes" : "changes atomically";
}

UNWATCHED static void record_byte(uintptr_t byte, Access access) {
    const unsigned thread = device.current->thread, block = device.index.x;
    const bool is_shared_memory = byte >= races.ranges[0].first && byte < races.ranges[0].second;
    std::vector<Event> &events = races.events[byte];
    Event *own = nullptr;
    for (Event &event : events) {
        if (event.block == block && event.thread == thread) {
            own = event.access == access ? &event : own;
            continue;
        }
        const bool conflicts = event.access != access || access == Access::Write;
        const bool plain_reads = event.access == Access::Read && access == Access::Read;
        if (!conflicts || plain_reads || (is_shared_memory && event.block != block)) {
            continue;
        }
        const auto wait = races.waits.find(pair(thread, event.thread));
        const bool waited = wait != races.waits.end() && wait->second > event.time;
        if (event.block != block || (races.barrier <= event.time && !waited)) {
            fault("race: thread %u %s what thread %u of block %u %s", thread, named(access), event.thread, event.block, named(event.access));
        }
    }
    if (own == nullptr) {
        events.push_back({block, thread, ++races.time, access});
    } else {
        own->time = ++races.time;
    }
}

UNWATCHED static void record(const void *place, size_t bytes, Access access) {
    // What is recorded here is not accessed by a kernel.
    if (device.current == nullptr || device.current->state != State::Ready || races.records) {
        return;
    }
    races.records = true;
    for (const auto &[start, end] : races.ranges) {
        for (uintptr_t byte = (uintptr_t)place; byte < (uintptr_t)place + bytes; byte++) {
            if (byte >= start && byte < end) {
                record_byte(byte, access);
            }
        }
    }
    races.records = false;
}

}

#define UNISPARSE_CPU_WATCH(bytes) \
    UNWATCHED void __tsan_read##bytes(void *place) { \
        unisparse_cpu::record(place, bytes, unisparse_cpu::Access::Read); \
    } \
    UNWATCHED void __tsan_write##bytes(void *place) { \
        unisparse_cpu::record(place, bytes, unisparse_cpu::Access::Write); \
    } \
    UNWATCHED void __tsan_unaligned_read##bytes(void *place) { \
        unisparse_cpu::record(place, bytes, unisparse_cpu::Access::Read); \
    } \
    UNWATCHED void __tsan_unaligned_write##bytes(void *place) { \
        unisparse_cpu::record(place, bytes, unisparse_cpu::Access::Write); \
    }

extern "C" {

UNISPARSE_CPU_WATCH(1)
UNISPARSE_CPU_WATCH(2)
UNISPARSE_CPU_WATCH(4)
UNISPARSE_CPU_WATCH(8)
UNISPARSE_CPU_WATCH(16)

UNWATCHED void __tsan_read_range(void *place, size_t bytes) {
    unisparse_cpu::record(place, bytes, unisparse_cpu::Access::Read);
}

UNWATCHED void __tsan_write_range(void *place, size_t bytes) {
    unisparse_cpu::record(place, bytes, unisparse_cpu::Access::Write);
}

UNWATCHED void __tsan_init() {}
UNWATCHED void __tsan_func_entry(void *) {}
UNWATCHED void __tsan_func_exit() {}
UNWATCHED void __tsan_vptr_update(void **, void *) {}
UNWATCHED void __tsan_vptr_read(void **) {}

}
