// Runs the loop of a lane over the words of a folder, with memories that answer after one cycle. Prints the cycles, then the sums.
#include "Vlane.h"
#include "numbers.h"
#include "verilated.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

template <class T> static std::vector<T> read(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::vector<T> elements(bytes.size() / sizeof(T));
    if (!elements.empty()) std::memcpy(elements.data(), bytes.data(), elements.size() * sizeof(T));
    return elements;
}

int main(int, char **arguments) {
    const std::string folder = std::string(arguments[1]) + "/";
    const std::vector<uint64_t> words = read<uint64_t>(folder + "words.bin");
    const std::vector<uint32_t> x = read<uint32_t>(folder + "x.bin");
    std::vector<uint32_t> sums(SUMS);
    Vlane top;
    const auto edge = [&](int clock) {
        top.clock = clock;
        top.eval();
    };
    top.out0_ready = 1;
    top.reset = 1;
    for (int at = 0; at < 4; at++) edge(at % 2);
    edge(0);
    top.reset = 0;
    // Whether a memory has an answer that was not taken yet.
    bool word = false, factor = false, sum = false, stored = false;
    bool has_end = true, has_start = true;
    unsigned cycles = 0;
    for (; cycles < 100 + 100 * words.size(); cycles++) {
        top.in0 = words.size();
        top.in0_valid = has_end;
        top.in4_valid = has_start;
        top.in1_ld0_data_valid = word;
        top.in2_ld0_data_valid = factor;
        top.in3_ld0_data_valid = sum;
        top.in3_st0_done_valid = stored;
        edge(0);
        // A memory takes an address when its last answer is taken.
        top.in1_ld0_addr_ready = !word || top.in1_ld0_data_ready;
        top.in2_ld0_addr_ready = !factor || top.in2_ld0_data_ready;
        top.in3_ld0_addr_ready = !sum || top.in3_ld0_data_ready;
        top.in3_st0_ready = !stored || top.in3_st0_done_ready;
        edge(0);
        if (top.out0_valid) break;
        const bool reads_word = top.in1_ld0_addr_valid && top.in1_ld0_addr_ready, stores = top.in3_st0_valid && top.in3_st0_ready;
        const bool reads_factor = top.in2_ld0_addr_valid && top.in2_ld0_addr_ready;
        const bool reads_sum = top.in3_ld0_addr_valid && top.in3_ld0_addr_ready;
        const uint64_t slot = top.in1_ld0_addr, column = top.in2_ld0_addr, address = top.in3_ld0_addr, store = top.in3_st0;
        word = reads_word || (word && !top.in1_ld0_data_ready);
        factor = reads_factor || (factor && !top.in2_ld0_data_ready);
        sum = reads_sum || (sum && !top.in3_ld0_data_ready);
        stored = stores || (stored && !top.in3_st0_done_ready);
        has_end = has_end && !top.in0_ready;
        has_start = has_start && !top.in4_ready;
        edge(1);
        if (reads_word) top.in1_ld0_data = words[slot];
        if (reads_factor) top.in2_ld0_data = x[column];
        if (reads_sum) top.in3_ld0_data = sums[address];
        if (stores) sums[(store >> 32) % SUMS] = uint32_t(store);
    }
    std::printf("%u\n", cycles);
    for (const uint32_t of : sums) std::printf("%d\n", int32_t(of));
    return 0;
}
