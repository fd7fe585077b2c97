// Runs all channels over the data of a folder. Writes the sums, and prints the cycles of each channel.
#include "Vchannel.h"
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
    const std::vector<uint32_t> sizes = read<uint32_t>(folder + "sizes.bin"), x = read<uint32_t>(folder + "x.bin");
    const auto number = [&](const char *name) { return uint32_t(read<uint64_t>(folder + name + ".bin")[0]); };
    const uint32_t windows = number("windows"), addresses = number("addresses"), steps = number("steps");
    std::vector<uint32_t> result(size_t(steps) * CHANNELS * PLACES);
    for (uint32_t channel = 0; channel < CHANNELS; channel++) {
        const std::vector<uint32_t> words = read<uint32_t>(folder + "words_" + std::to_string(channel) + ".bin");
        Vchannel top;
        top.windows = windows;
        top.addresses = addresses;
        top.steps = steps;
        top.slots = top.blocks = 0;
        uint32_t first_slot = 0, first_block = 0, window = 0;
        const auto tick = [&] {
            top.clk = 0;
            top.eval();
            top.clk = 1;
            top.eval();
        };
        top.reset = 1;
        tick();
        tick();
        top.reset = 0;
        for (top.clk = 0, top.eval(); top.state != 5; top.clk = 0, top.eval()) {
            for (; window < top.window; window++) {
                first_slot += sizes[(window + 1) * (CHANNELS + 1) + channel];
                first_block += sizes[(window + 1) * (CHANNELS + 1) + CHANNELS];
            }
            if (window < windows) {
                top.slots = sizes[(window + 1) * (CHANNELS + 1) + channel];
                top.blocks = sizes[(window + 1) * (CHANNELS + 1) + CHANNELS];
            }
            const size_t beat = sizeof(top.beat) / 4, block = sizeof(top.x) / 4;
            for (size_t at = 0; at < beat && top.state == 2; at++) top.beat[at] = words[(first_slot + top.at) * beat + at];
            for (size_t at = 0; at < block && top.state == 1; at++) top.x[at] = x[(first_block + top.at) * block + at];
            if (top.state == 4) std::memcpy(&result[(size_t(top.at) * CHANNELS + channel) * PLACES], &top.sums_out, 4 * PLACES);
            top.clk = 1;
            top.eval();
        }
        std::printf("%u\n", top.cycles);
    }
    std::ofstream(folder + "sums.bin", std::ios::binary).write((const char *)result.data(), std::streamsize(4 * result.size()));
    return 0;
}
