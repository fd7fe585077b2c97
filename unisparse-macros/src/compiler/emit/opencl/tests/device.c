/* A host of kernels on the first CPU device of any OpenCL platform. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef cl_uchar uchar;
typedef cl_ushort ushort;
typedef cl_uint uint;
typedef cl_ulong ulong;
_Static_assert(sizeof(long) == sizeof(cl_long), "`long` has 64 bits in OpenCL C");

#define TEXT_OF(macro) #macro
#define TEXT(macro) TEXT_OF(macro)

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_device_id device;

static void must(cl_int status, const char *what) {
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL error %d\n", what, status);
        exit(2);
    }
}

static void find_device(void) {
    cl_platform_id platforms[16];
    cl_uint count = 0;
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) {
        count = 0;
    }
    for (cl_uint at = 0; at < count && at < 16; at++) {
        if (clGetDeviceIDs(platforms[at], CL_DEVICE_TYPE_CPU, 1, &device, NULL) == CL_SUCCESS) {
            char name[256] = "";
            clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
            printf("device: %s\n", name);
            return;
        }
    }
    fprintf(stderr, "no OpenCL platform has a CPU device\n");
    exit(2);
}

static char *read_all(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        exit(2);
    }
    const long length = ftell(file);
    char *text = calloc((size_t)length + 1, 1);
    rewind(file);
    if (text == NULL || fread(text, 1, (size_t)length, file) != (size_t)length) {
        exit(2);
    }
    fclose(file);
    return text;
}

static void start(const char *path) {
    cl_int status;
    find_device();
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    must(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    must(status, "clCreateCommandQueue");
    const char *source = read_all(path);
    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    must(status, "clCreateProgramWithSource");
    status = clBuildProgram(program, 1, &device, "-cl-std=CL1.2 -Werror -DELEMENT=" TEXT(ELEMENT), NULL, NULL);
    if (status != CL_SUCCESS) {
        static char log[1 << 16];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    must(status, "clBuildProgram");
}

static cl_mem buffer(const void *from, size_t bytes) {
    cl_int status;
    /* A buffer is never empty. */
    cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes == 0 ? 1 : bytes, NULL, &status);
    must(status, "clCreateBuffer");
    if (bytes != 0) {
        must(clEnqueueWriteBuffer(queue, made, CL_TRUE, 0, bytes, from, 0, NULL, NULL), "clEnqueueWriteBuffer");
    }
    return made;
}

struct argument {
    size_t size;
    const void *value;
};

static void launch(const char *name, cl_uint dimensions, const long *items, cl_uint count, const struct argument *arguments) {
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    must(status, name);
    for (cl_uint at = 0; at < count; at++) {
        must(clSetKernelArg(kernel, at, arguments[at].size, arguments[at].value), name);
    }
    /* Whole groups of four, and at least one. */
    const size_t group[2] = {4, 4};
    size_t all[2];
    for (cl_uint at = 0; at < dimensions; at++) {
        const size_t wanted = (size_t)items[at];
        all[at] = wanted < group[at] ? group[at] : (wanted + group[at] - 1) / group[at] * group[at];
    }
    must(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, all, group, 0, NULL, NULL), name);
    must(clFinish(queue), name);
    must(clReleaseKernel(kernel), name);
}

static void read_back(cl_mem from, size_t bytes, void *into) {
    if (bytes != 0) {
        must(clEnqueueReadBuffer(queue, from, CL_TRUE, 0, bytes, into, 0, NULL, NULL), "clEnqueueReadBuffer");
    }
}

/* The last value of the list is not part of the array: a list is never empty. */
#define ARRAY(type, name, count, ...)                                                                                  \
    static const type name##_list[] = {__VA_ARGS__};                                                                   \
    cl_mem name = buffer(name##_list, (count) * sizeof(type));

#define ADDRESS(name) {sizeof(cl_mem), &name}
#define NUMBER(name) {sizeof name, &name}

#define LAUNCH(kernel, dimensions, items, ...)                                                                                \
    {                                                                                                                  \
        const struct argument arguments[] = {__VA_ARGS__};                                                             \
        launch(#kernel, dimensions, items, (cl_uint)(sizeof arguments / sizeof *arguments), arguments);                  \
    }

#define READ(name, count, into) read_back(name, (count) * sizeof(ELEMENT), into)
#define FREE(name) clReleaseMemObject(name)
#define START(path) start(path)
