#include <complex.h>

/* The product by its definition: the operator of C looks for infinities, too. */
static inline ELEMENT unisparse_times_NAME(ELEMENT left, ELEMENT right) {
    return MAKE(REAL(left) * REAL(right) - IMAGINARY(left) * IMAGINARY(right),
        REAL(left) * IMAGINARY(right) + IMAGINARY(left) * REAL(right));
}
