#ifndef UNISPARSE_ANY
#define UNISPARSE_ANY

/* Adds to an element of a type without an instruction for it. */
template <class Value>
UNISPARSE_DEVICE void unisparse_atomic_plus(Value *place, Value value) {
    unisparse_atomic(place, value, [](Value left, Value right) { return (Value)unisparse_plus_value(left, right); });
}

#endif
