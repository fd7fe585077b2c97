/* Compiles files for architectures through NVRTC and prints its log: nvrtc LIBRARY ARCHITECTURES DEFINITION FILE.. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *program;

static int (*create)(program *, const char *, const char *, int, const char *const *, const char *const *);
static int (*compile)(program, int, const char *const *);
static int (*log_size)(program, size_t *);
static int (*get_log)(program, char *);
static int (*cubin_size)(program, size_t *);
static int (*destroy)(program *);

static char *text_of(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "no file: %s\n", path);
        exit(2);
    }
    const long size = ftell(file);
    char *text = malloc((size_t)size + 1);
    rewind(file);
    if (text == NULL || fread(text, 1, (size_t)size, file) != (size_t)size) {
        exit(2);
    }
    fclose(file);
    text[size] = '\0';
    return text;
}

static void compiled(const char *path, const char *architecture, const char *definition) {
    char target[64];
    snprintf(target, sizeof target, "--gpu-architecture=%s", architecture);
    const char *const options[] = {target, definition, "--std=c++17", "--ptxas-options=-v",
        "--ptxas-options=-warn-spills", "--ptxas-options=-warn-lmem-usage"};
    char *text = text_of(path);
    program made;
    size_t size = 0, bytes = 0;
    if (create(&made, text, path, 0, NULL, NULL) != 0) {
        exit(2);
    }
    const int status = compile(made, (int)(sizeof options / sizeof *options), options);
    log_size(made, &size);
    char *log = calloc(size + 1, 1);
    get_log(made, log);
    if (status == 0) {
        cubin_size(made, &bytes);
    }
    printf("file %s\narchitecture %s\nstatus %d\nbytes %zu\n%s\n", path, architecture, status, bytes, log);
    destroy(&made);
    free(log);
    free(text);
}

int main(int count, char **arguments) {
    if (count < 4) {
        return 2;
    }
    /* The builtins, which NVRTC loads by name, are in the same folder. */
    char builtins[4096];
    const char *end = strrchr(arguments[1], '/');
    if (end != NULL) {
        snprintf(builtins, sizeof builtins, "%.*s/libnvrtc-builtins.so.13.0", (int)(end - arguments[1]), arguments[1]);
        dlopen(builtins, RTLD_NOW | RTLD_GLOBAL);
    }
    void *library = dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    *(void **)&create = dlsym(library, "nvrtcCreateProgram");
    *(void **)&compile = dlsym(library, "nvrtcCompileProgram");
    *(void **)&log_size = dlsym(library, "nvrtcGetProgramLogSize");
    *(void **)&get_log = dlsym(library, "nvrtcGetProgramLog");
    *(void **)&cubin_size = dlsym(library, "nvrtcGetCUBINSize");
    *(void **)&destroy = dlsym(library, "nvrtcDestroyProgram");
    if (!create || !compile || !log_size || !get_log || !cubin_size || !destroy) {
        return 1;
    }
    for (int at = 4; at < count; at++) {
        char *architectures = strdup(arguments[2]), *rest = architectures;
        for (char *one; (one = strsep(&rest, ",")) != NULL;) {
            compiled(arguments[at], one, arguments[3]);
        }
        free(architectures);
    }
    return 0;
}
