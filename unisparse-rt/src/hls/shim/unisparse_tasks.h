// Streams and the tasks of a dataflow region. With the vendor's headers a region is a sequence of calls, which the tool turns
// into tasks.
#ifndef UNISPARSE_TASKS_H
#define UNISPARSE_TASKS_H

#include <hls_stream.h>

#ifndef UNISPARSE_TASK
#define UNISPARSE_PRAGMA(text) _Pragma(#text)
#define UNISPARSE_STREAM(type, name, depth)                                                                                \
    hls::stream<type> name(#name);                                                                                         \
    UNISPARSE_PRAGMA(HLS STREAM variable = name depth = depth)
#define UNISPARSE_TASKS
#define UNISPARSE_TASK(call) call
#define UNISPARSE_RUN
#endif

#endif
