// Integers of N bits, as the vendor's `ap_int.h` has them: what kernels of this project use, and no more.
//
// A number of up to 64 bits is one integer, and computes as a built-in integer of 64 bits; a wider one is moved as a whole
// or read and written by ranges of up to 64 bits. A value that is put into a range must fit, and a range must lie in its word:
// what the vendor's type would cut silently ends the simulation with a message.
#ifndef UNISPARSE_AP_INT_H
#define UNISPARSE_AP_INT_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

// Defined with these headers, not with the vendor's.
#define UNISPARSE_SHIM 1

namespace unisparse_shim {

[[noreturn]] inline void fail(const char *what, long long found, long long limit) {
    std::fprintf(stderr, "unisparse: %s: %lld, limit %lld\n", what, found, limit);
    std::exit(4);
}

constexpr uint64_t mask(int bits) { return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }

// The least built-in integer with these bits, so that an array of them has the layout of the host's arrays.
template <int N, bool SIGNED> struct least {
    static_assert(N >= 1 && N <= 64, "a number of 1 to 64 bits");
    typedef typename std::conditional<
        (N <= 8), uint8_t,
        typename std::conditional<(N <= 16), uint16_t, typename std::conditional<(N <= 32), uint32_t, uint64_t>::type>::type>::type
        natural;
    typedef typename std::conditional<SIGNED, typename std::make_signed<natural>::type, natural>::type type;
};

// The bits `high..=low` of a word, to read or to assign.
template <class Word> class range_of {
    Word &word;
    int high, low;

  public:
    range_of(Word &word, int high, int low) : word(word), high(high), low(low) {
        if (low < 0 || high < low) fail("a range ends before it begins", high, low);
        if (high >= Word::width) fail("a range ends outside of its word", high, Word::width - 1);
        if (high - low >= 64) fail("a range has more bits than a number", high - low + 1, 64);
    }
    operator uint64_t() const { return word.bits(high, low); }
    uint64_t to_uint64() const { return word.bits(high, low); }
    template <class T> range_of &operator=(const T &value) {
        const uint64_t given = uint64_t(value);
        if ((given & ~mask(high - low + 1)) != 0)
            fail("a value does not fit in its range of bits", (long long)given, (long long)mask(high - low + 1));
        word.set_bits(high, low, given);
        return *this;
    }
    range_of &operator=(const range_of &other) { return *this = other.to_uint64(); }
};

// A number of up to 64 bits, which wraps as the vendor's does.
template <int N, bool SIGNED> class number {
    typedef typename least<N, SIGNED>::type value_type;
    value_type value;
    static value_type wrapped(uint64_t given) {
        const uint64_t kept = given & mask(N);
        const bool negative = SIGNED && N < 64 && (kept >> (N - 1) & 1);
        return value_type(negative ? kept | ~mask(N) : kept);
    }

  public:
    static constexpr int width = N;
    // Built-in arithmetic is exact for products of numbers of 31 bits and sums of 62, as the vendor's is.
    typedef typename std::conditional<(N < 64), long long, typename std::conditional<SIGNED, long long, unsigned long long>::type>::type
        builtin;
    number() = default;
    template <class T, class = typename std::enable_if<std::is_arithmetic<T>::value>::type>
    number(T given) : value(wrapped(uint64_t(given))) {}
    template <int M, bool S> number(const number<M, S> &other) : value(wrapped(uint64_t(builtin(other)))) {}
    template <class Word> number(const range_of<Word> &other) : value(wrapped(other.to_uint64())) {}
    operator builtin() const { return builtin(value); }
    uint64_t bits(int high, int low) const { return uint64_t(value) >> low & mask(high - low + 1); }
    void set_bits(int high, int low, uint64_t given) {
        const uint64_t kept = mask(high - low + 1) << low;
        value = wrapped((uint64_t(value) & ~kept) | (given << low & kept));
    }
    range_of<number> range(int high, int low) { return range_of<number>(*this, high, low); }
    uint64_t range(int high, int low) const { return range_of<const number>(*this, high, low).to_uint64(); }
    range_of<number> operator()(int high, int low) { return range(high, low); }
    uint64_t operator()(int high, int low) const { return range(high, low); }
    range_of<number> operator[](int bit) { return range(bit, bit); }
    bool operator[](int bit) const { return range(bit, bit) != 0; }
    uint64_t to_uint64() const { return uint64_t(value) & mask(N); }
    unsigned to_uint() const { return unsigned(to_uint64()); }
    int to_int() const { return int(value); }
    number &operator++() { return *this = number(builtin(value) + 1); }
    number operator++(int) { const number before = *this; ++*this; return before; }
    number &operator--() { return *this = number(builtin(value) - 1); }
    template <class T> number &operator+=(const T &other) { return *this = number(builtin(value) + builtin(other)); }
    template <class T> number &operator-=(const T &other) { return *this = number(builtin(value) - builtin(other)); }
    template <class T> number &operator|=(const T &other) { return *this = number(builtin(value) | builtin(other)); }
    template <class T> number &operator>>=(const T &other) { return *this = number(builtin(value) >> other); }
    template <class T> number &operator<<=(const T &other) { return *this = number(uint64_t(value) << other); }
};

// A word of more than 64 bits.
template <int N> class wide {
    static constexpr int count = (N + 63) / 64;
    uint64_t words[count];

  public:
    static constexpr int width = N;
    wide() = default;
    wide(uint64_t given) : words{given} {}
    uint64_t bits(int high, int low) const {
        const int first = low / 64, shift = low % 64;
        uint64_t found = words[first] >> shift;
        if (shift != 0 && high / 64 > first) found |= words[first + 1] << (64 - shift);
        return found & mask(high - low + 1);
    }
    void set_bits(int high, int low, uint64_t given) {
        const int first = low / 64, shift = low % 64;
        const uint64_t kept = mask(high - low + 1);
        words[first] = (words[first] & ~(kept << shift)) | given << shift;
        if (shift != 0 && high / 64 > first)
            words[first + 1] = (words[first + 1] & ~(kept >> (64 - shift))) | given >> (64 - shift);
    }
    range_of<wide> range(int high, int low) { return range_of<wide>(*this, high, low); }
    uint64_t range(int high, int low) const { return range_of<const wide>(*this, high, low).to_uint64(); }
    range_of<wide> operator()(int high, int low) { return range(high, low); }
    uint64_t operator()(int high, int low) const { return range(high, low); }
    range_of<wide> operator[](int bit) { return range(bit, bit); }
    bool operator[](int bit) const { return range(bit, bit) != 0; }
    bool operator==(const wide &other) const {
        for (int at = 0; at < count; at++)
            if (words[at] != other.words[at]) return false;
        return true;
    }
    bool operator!=(const wide &other) const { return !(*this == other); }
};

template <int N, bool SIGNED> struct chosen {
    typedef typename std::conditional<(N <= 64), number<(N <= 64 ? N : 64), SIGNED>, wide<(N > 64 ? N : 65)>>::type type;
};

} // namespace unisparse_shim

template <int N> using ap_uint = typename unisparse_shim::chosen<N, false>::type;
template <int N> using ap_int = typename unisparse_shim::chosen<N, true>::type;

#endif
