// zlib, and its macros as functions Swift can call.
#pragma once

// Makes `next_in` a pointer to constant bytes, which is what Swift has to offer.
#define ZLIB_CONST
#include <zlib.h>

// Window bits are 15 for the format of RFC 1950, and 16 more for that of RFC 1952; 8 is the memory level
// that `deflateInit` chooses.
static inline int CZlib_deflateInit(z_stream *stream, int level, int window_bits) {
    return deflateInit2(stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}
static inline int CZlib_inflateInit(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}
