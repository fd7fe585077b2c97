// Streams between tasks, as the vendor's `hls_stream.h` has them, but bounded, and the tasks of a dataflow region.
//
// A task that reads an empty stream, or writes to a full one, waits while the others run, in their order: every simulation is the
// same. When all wait, the simulation ends with the name of each stream that a task waits for.
#ifndef UNISPARSE_HLS_STREAM_H
#define UNISPARSE_HLS_STREAM_H

#include "ap_int.h"
#include <ucontext.h>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace unisparse_shim {

// A task of a dataflow region, on a stack of its own.
#ifndef UNISPARSE_STACK
#define UNISPARSE_STACK (256 << 10)
#endif
struct task {
    static constexpr size_t STACK = UNISPARSE_STACK;
    std::string name;
    std::function<void()> body;
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    bool ended = false;
    // The stream that it waits for, and why.
    std::string waits;
};

// The tasks of the region that runs.
struct region {
    std::vector<std::unique_ptr<task>> tasks;
    ucontext_t scheduler;
    task *running = nullptr;
    // Whether a stream was read or written since all tasks last waited.
    bool moved = false;

    static region *&current() {
        static region *open = nullptr;
        return open;
    }
    static void enter() {
        region *of = current();
        of->running->body();
        of->running->ended = true;
        of->moved = true;
        swapcontext(&of->running->context, &of->scheduler);
    }
    void add(const char *name, std::function<void()> body) {
        std::unique_ptr<task> made(new task);
        made->name = name;
        made->body = std::move(body);
        tasks.push_back(std::move(made));
    }
    void start(task &of) {
        of.stack.reset(new char[task::STACK]);
        getcontext(&of.context);
        of.context.uc_stack.ss_sp = of.stack.get();
        of.context.uc_stack.ss_size = task::STACK;
        of.context.uc_link = nullptr;
        makecontext(&of.context, &region::enter, 0);
    }
    [[noreturn]] void deadlock() const {
        std::fprintf(stderr, "unisparse: deadlock: every task waits\n");
        for (const auto &of : tasks)
            if (!of->ended) std::fprintf(stderr, "  `%s` waits: %s\n", of->name.c_str(), of->waits.c_str());
        std::exit(3);
    }
    // Runs all tasks to their ends.
    void run() {
        region *outer = current();
        current() = this;
        for (const auto &of : tasks) start(*of);
        for (size_t left = tasks.size(); left > 0;) {
            moved = false;
            left = 0;
            for (const auto &of : tasks) {
                if (of->ended) continue;
                running = of.get();
                swapcontext(&scheduler, &of->context);
                left += !of->ended;
            }
            if (left > 0 && !moved) deadlock();
        }
        current() = outer;
    }
    // Lets the other tasks run until the stream has changed.
    static void wait(const std::string &why) {
        region *of = current();
        if (of == nullptr || of->running == nullptr) {
            std::fprintf(stderr, "unisparse: deadlock: %s, and no task runs that changes that\n", why.c_str());
            std::exit(3);
        }
        of->running->waits = why;
        swapcontext(&of->running->context, &of->scheduler);
    }
    static void has_moved() {
        if (current() != nullptr) current()->moved = true;
    }
};

} // namespace unisparse_shim

namespace hls {

// A stream of at most DEPTH elements, 2 where nothing is said, as in hardware.
template <class T, int DEPTH = 0> class stream {
    std::deque<T> elements;
    std::string name;
    size_t depth = DEPTH > 0 ? DEPTH : 2;

    std::string said(const char *what) const {
        return "stream `" + name + "` of depth " + std::to_string(depth) + " is " + what;
    }

  public:
    stream() : name("without a name") {}
    explicit stream(const char *name) : name(name) {}
    // The depth that a pragma gives to the stream in hardware.
    stream(const char *name, size_t depth) : name(name), depth(depth) {}
    stream(const stream &) = delete;
    stream &operator=(const stream &) = delete;
    ~stream() {
        if (!elements.empty())
            std::fprintf(stderr, "unisparse: stream `%s` is left with %zu elements\n", name.c_str(), elements.size());
    }
    void set_name(const char *given) { name = given; }
    void set_depth(size_t given) { depth = given; }
    bool empty() const { return elements.empty(); }
    bool full() const { return elements.size() >= depth; }
    size_t size() const { return elements.size(); }
    T read() {
        while (empty()) unisparse_shim::region::wait(said("empty"));
        const T value = elements.front();
        elements.pop_front();
        unisparse_shim::region::has_moved();
        return value;
    }
    void read(T &into) { into = read(); }
    bool read_nb(T &into) {
        if (empty()) return false;
        into = read();
        return true;
    }
    void write(const T &value) {
        while (full()) unisparse_shim::region::wait(said("full"));
        elements.push_back(value);
        unisparse_shim::region::has_moved();
    }
    bool write_nb(const T &value) {
        if (full()) return false;
        write(value);
        return true;
    }
    void operator>>(T &into) { read(into); }
    void operator<<(const T &value) { write(value); }
};

} // namespace hls

// A stream of elements of `type` called `name`, at most `depth` of them: `UNISPARSE_STREAM(float, terms, 4);`.
#define UNISPARSE_STREAM(type, name, depth) hls::stream<type> name(#name, depth)
// The tasks of a dataflow region: `UNISPARSE_TASKS; UNISPARSE_TASK(load(x, terms)); .. UNISPARSE_RUN;`.
#define UNISPARSE_TASKS unisparse_shim::region unisparse_tasks
#define UNISPARSE_TASK(call) unisparse_tasks.add(#call, [&] { call; })
#define UNISPARSE_RUN unisparse_tasks.run()

#endif
