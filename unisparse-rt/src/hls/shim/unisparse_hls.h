// What kernels use beside the vendor's headers: the tasks of a dataflow region where the headers have none, and claims that
// pragmas make about loops, which a simulation checks.
#ifndef UNISPARSE_HLS_H
#define UNISPARSE_HLS_H

#include <ap_int.h>
#include <hls_stream.h>

// With the vendor's headers a region is a sequence of calls, which the tool turns into tasks.
#ifndef UNISPARSE_TASK
#define UNISPARSE_PRAGMA(text) _Pragma(#text)
#define UNISPARSE_STREAM(type, name, depth)                                                                                \
    hls::stream<type> name(#name);                                                                                         \
    UNISPARSE_PRAGMA(HLS STREAM variable = name depth = depth)
#define UNISPARSE_TASKS
#define UNISPARSE_TASK(call) call
#define UNISPARSE_RUN
#endif

#ifdef __SYNTHESIS__
#define UNISPARSE_CLAIM(name, distance)
#define UNISPARSE_TOUCH(name, place)
#else
#include <cstdio>
#include <cstdlib>
#include <unordered_map>

namespace unisparse {

// The claim that the iterations of a pipelined loop which touch one element are at least `distance` apart; zero: no two
// iterations of a run of the loop touch one element.
class claim {
    const char *array;
    unsigned long long distance, touched = 0;
    std::unordered_map<unsigned long long, unsigned long long> last;

  public:
    claim(const char *array, unsigned long long distance) : array(array), distance(distance) {}
    void touch(unsigned long long place) {
        const unsigned long long now = touched++;
        const auto found = last.find(place);
        if (found != last.end() && (distance == 0 || now - found->second < distance)) {
            std::fprintf(stderr, "unisparse: `%s[%llu]` is touched by iterations %llu and %llu of a loop whose pragma says ", array,
                         place, found->second, now);
            if (distance == 0)
                std::fprintf(stderr, "that no two of them touch one element\n");
            else
                std::fprintf(stderr, "that they are at least %llu apart\n", distance);
            std::exit(5);
        }
        last[place] = now;
    }
};

} // namespace unisparse

// Before a loop with a pragma DEPENDENCE; then once in each iteration.
#define UNISPARSE_CLAIM(array, distance) unisparse::claim array##_claim(#array, distance)
#define UNISPARSE_TOUCH(array, place) array##_claim.touch(place)
#endif

#endif
