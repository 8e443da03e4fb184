/* SPDX-License-Identifier: MIT
   Elements of arrays: numbers of every size and either order of bytes, as float64. */
#include "weights/weights_int.h"

#include <string.h>

#include "base/half.h"

size_t kl_weights_element_size(enum kl_element type)
{
    static const size_t size[] = { 2, 2, 4, 8, 4, 8, 1, 1, 2, 1, 2, 4, 8 };
    return size[type];
}

static double half_at(const unsigned char *data)
{
    uint16_t half;
    float value;
    memcpy(&half, data, 2);
    kl_float_from_half(&value, &half, 1);
    return value;
}

static double bfloat_at(const unsigned char *data)
{
    const uint32_t bits = (uint32_t)data[0] << 16 | (uint32_t)data[1] << 24;
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

double kl_weights_element(const struct kl_cells *elements, size_t i)
{
#define LOAD(type)                        \
    {                                     \
        type value;                       \
        memcpy(&value, at, sizeof value); \
        return (double)value;             \
    }
    unsigned char turned[8];
    const size_t size = kl_weights_element_size(elements->type);
    const unsigned char *at = elements->data + i * size;
    for (size_t k = 0; k < size && elements->big_endian; k++) turned[k] = at[size - 1 - k];
    if (elements->big_endian) at = turned;
    switch (elements->type) {
    case KL_EL_F16: return half_at(at);
    case KL_EL_BF16: return bfloat_at(at);
    case KL_EL_F32: LOAD(float)
    case KL_EL_F64: LOAD(double)
    case KL_EL_I32: LOAD(int32_t)
    case KL_EL_I64: LOAD(int64_t)
    case KL_EL_BOOL: return *at != 0;
    case KL_EL_I8: LOAD(int8_t)
    case KL_EL_I16: LOAD(int16_t)
    case KL_EL_U8: LOAD(uint8_t)
    case KL_EL_U16: LOAD(uint16_t)
    case KL_EL_U32: LOAD(uint32_t)
    case KL_EL_U64: LOAD(uint64_t)
    case KL_EL_NONE: break;
    }
    return 0;
#undef LOAD
}
