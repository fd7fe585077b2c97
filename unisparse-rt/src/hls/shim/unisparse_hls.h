// What kernels use beside the vendor's headers: integers for places, element types, and claims that pragmas make about loops,
// which a simulation checks.
#ifndef UNISPARSE_HLS_H
#define UNISPARSE_HLS_H

#include <ap_int.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <limits>

// Places, coordinates and extents have 32 bits, unless an array is longer than that allows.
#ifdef UNISPARSE_WIDE
typedef uint64_t unisparse_size;
typedef int64_t unisparse_difference;
#else
typedef uint32_t unisparse_size;
typedef int32_t unisparse_difference;
#endif

inline unisparse_difference unisparse_lesser(unisparse_difference left, unisparse_difference right) {
    return left < right ? left : right;
}

inline unisparse_difference unisparse_greater(unisparse_difference left, unisparse_difference right) {
    return left > right ? left : right;
}

// The quotient rounded down. The divisor is positive.
inline unisparse_difference unisparse_floor(unisparse_difference dividend, unisparse_difference divisor) {
    return dividend / divisor - (dividend % divisor < 0);
}

// The quotient rounded up.
inline unisparse_size unisparse_ceil(unisparse_size dividend, unisparse_size divisor) {
    return dividend / divisor + (dividend % divisor != 0);
}

// The first number from `low` on that is congruent to the residue.
inline unisparse_difference unisparse_congruent(unisparse_difference low, unisparse_difference residue,
                                                unisparse_difference modulus) {
    const unisparse_difference skipped = (residue - low) % modulus;
    return low + (skipped < 0 ? skipped + modulus : skipped);
}

namespace unisparse {

// An integer whose sums and products wrap.
template <class T> struct wrapping {
    T value;
    wrapping() = default;
    wrapping(T given) : value(given) {}
    template <class N> wrapping(N given) : value(T(given)) {}
    friend wrapping operator+(wrapping left, wrapping right) { return T(uint64_t(left.value) + uint64_t(right.value)); }
    friend wrapping operator*(wrapping left, wrapping right) { return T(uint64_t(left.value) * uint64_t(right.value)); }
    friend wrapping operator|(wrapping left, wrapping right) { return T(left.value | right.value); }
    friend wrapping operator&(wrapping left, wrapping right) { return T(left.value & right.value); }
    wrapping operator-() const { return T(0 - uint64_t(value)); }
    friend bool operator<(wrapping left, wrapping right) { return left.value < right.value; }
    friend bool operator==(wrapping left, wrapping right) { return left.value == right.value; }
    friend bool operator!=(wrapping left, wrapping right) { return left.value != right.value; }
};

// A Boolean whose sum is a disjunction and whose product is a conjunction.
struct truth {
    bool value;
    truth() = default;
    truth(bool given) : value(given) {}
    template <class N> truth(N given) : value(given != 0) {}
    friend truth operator+(truth left, truth right) { return bool(left.value | right.value); }
    friend truth operator*(truth left, truth right) { return bool(left.value & right.value); }
    friend truth operator|(truth left, truth right) { return left + right; }
    friend truth operator&(truth left, truth right) { return left * right; }
    truth operator-() const { return *this; }
    friend bool operator<(truth left, truth right) { return left.value < right.value; }
    friend bool operator==(truth left, truth right) { return left.value == right.value; }
    friend bool operator!=(truth left, truth right) { return left.value != right.value; }
};

// The values with which minima and maxima begin: for outputs, and for sums that keep NaN.
template <class T> struct limits {
    static T least() { return -std::numeric_limits<T>::infinity(); }
    static T greatest() { return std::numeric_limits<T>::infinity(); }
    static T no_least() { return std::numeric_limits<T>::quiet_NaN(); }
    static T no_greatest() { return std::numeric_limits<T>::quiet_NaN(); }
};
template <class T> struct limits<wrapping<T>> {
    static T least() { return std::numeric_limits<T>::min(); }
    static T greatest() { return std::numeric_limits<T>::max(); }
    static T no_least() { return greatest(); }
    static T no_greatest() { return least(); }
};
template <> struct limits<truth> {
    static bool least() { return false; }
    static bool greatest() { return true; }
    static bool no_least() { return true; }
    static bool no_greatest() { return false; }
};

} // namespace unisparse

// The lesser and the greater of two elements; of NaN and another, the other.
template <class T> T unisparse_lesser_value(T left, T right) { return left < right || right != right ? left : right; }
template <class T> T unisparse_greater_value(T left, T right) { return right < left || right != right ? left : right; }
#define unisparse_lesser_f32 unisparse_lesser_value<float>
#define unisparse_lesser_f64 unisparse_lesser_value<double>
#define unisparse_greater_f32 unisparse_greater_value<float>
#define unisparse_greater_f64 unisparse_greater_value<double>
#define UNISPARSE_MIN_START (unisparse::limits<unisparse_value>::greatest())
#define UNISPARSE_MAX_START (unisparse::limits<unisparse_value>::least())
#define UNISPARSE_AND_START true
#define UNISPARSE_MIN_IDENTITY (unisparse::limits<unisparse_value>::no_least())
#define UNISPARSE_MAX_IDENTITY (unisparse::limits<unisparse_value>::no_greatest())

#ifdef __SYNTHESIS__
#define UNISPARSE_CLAIM(name, distance)
#define UNISPARSE_TOUCH(name, place)
#define UNISPARSE_TOUCH_AT(name, place, iteration)
#define UNISPARSE_WITHIN(place, end)
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
    void touch(unsigned long long place) { touch_at(place, touched++); }
    void touch_at(unsigned long long place, unsigned long long now) {
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

inline void check_within(const char *name, unsigned long long place, unsigned long long end) {
    if (place < end) return;
    std::fprintf(stderr, "unisparse: `%s` is %llu, and there are %llu\n", name, place, end);
    std::exit(4);
}

} // namespace unisparse

// Before a loop with a pragma DEPENDENCE; then once in each iteration.
#define UNISPARSE_CLAIM(array, distance) unisparse::claim unisparse_claim_##array(#array, distance)
#define UNISPARSE_TOUCH(array, place) unisparse_claim_##array.touch(place)
// The same, where not every iteration touches an element.
#define UNISPARSE_TOUCH_AT(array, place, iteration) unisparse_claim_##array.touch_at(place, iteration)
// A place in an array on the chip.
#define UNISPARSE_WITHIN(place, end) unisparse::check_within(#place, place, end)
#endif

// The least and the greatest of the numbers of places, not those of the machine.
#undef PTRDIFF_MIN
#undef PTRDIFF_MAX
#define PTRDIFF_MAX (std::numeric_limits<unisparse_difference>::max())
#define PTRDIFF_MIN (std::numeric_limits<unisparse_difference>::min())

#endif
