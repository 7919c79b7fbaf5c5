// zlib, and its macros as functions Swift can call.
#pragma once

// Makes `next_in` a pointer to constant bytes, which is what Swift has to offer.
#define ZLIB_CONST
#include <zlib.h>

static inline int CZlib_deflateInit(z_stream *stream, int level) {
    return deflateInit(stream, level);
}
static inline int CZlib_inflateInit(z_stream *stream) { return inflateInit(stream); }
