#include "kernel.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

// The bytes of a file.
struct data {
    // In words, so that elements of every type are aligned; one more, so that there always is one.
    std::vector<uint64_t> words;
    size_t bytes;
    data(const std::string &folder, const std::string &name) {
        const std::string path = folder + "/" + name + ".bin";
        std::ifstream file(path, std::ios::binary);
        if (!file) {
            std::fprintf(stderr, "cannot read %s\n", path.c_str());
            std::exit(2);
        }
        const std::vector<char> read((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        bytes = read.size();
        words.resize(bytes / sizeof(uint64_t) + 1);
        if (bytes > 0) std::memcpy(words.data(), read.data(), bytes);
    }
    template <class T> T *elements() { return reinterpret_cast<T *>(words.data()); }
    template <class T> T element() {
        if (bytes != sizeof(T)) {
            std::fprintf(stderr, "a number has %zu bytes, expected %zu\n", bytes, sizeof(T));
            std::exit(2);
        }
        return *elements<T>();
    }
};

// Compares bit for bit, except that any NaN is one.
template <class T> int compare(const char *kernel, data &found, data expected) {
    if (found.bytes != expected.bytes) {
        std::fprintf(stderr, "%s: %zu bytes, expected %zu\n", kernel, found.bytes, expected.bytes);
        return 1;
    }
    const size_t count = found.bytes / sizeof(T);
    size_t different = 0;
    for (size_t at = 0; at < count; at++) {
        T &one = found.elements<T>()[at], &other = expected.elements<T>()[at];
        const bool is_same = std::memcmp(&one, &other, sizeof(T)) == 0 || (one != one && other != other);
        if (!is_same && different++ == 0) std::fprintf(stderr, "%s: element %zu differs\n", kernel, at);
    }
    if (different > 0) {
        std::fprintf(stderr, "%s: %zu of %zu elements differ\n", kernel, different, count);
        return 1;
    }
    std::printf("%s: %zu elements as expected\n", kernel, count);
    return 0;
}
