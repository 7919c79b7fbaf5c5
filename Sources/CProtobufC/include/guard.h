// Looks at encoded messages before protobuf-c does.
//
// protobuf_c_message_unpack has no limit on depth, elements or memory, adds a declared length to an
// offset in 32 bits, and reads a boolean of any wire type. Nothing reaches it that has not passed.
#ifndef CPROTOBUFC_GUARD_H
#define CPROTOBUFC_GUARD_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

// Levels that the guard can follow, whatever the limits say.
#define RPCKIT_GUARD_DEPTH_MAX 256

typedef enum {
  RPCKIT_GUARD_PASSED = 0,
  RPCKIT_GUARD_MALFORMED = 1,
  RPCKIT_GUARD_NESTED_TOO_DEEPLY = 2,
  RPCKIT_GUARD_TOO_MANY_FIELDS = 3,
  RPCKIT_GUARD_NEEDS_TOO_MUCH_MEMORY = 4,
} rpckit_guard_verdict;

typedef struct {
  // Messages inside the outermost one.
  size_t depth_max;
  // Fields on the wire and elements of packed fields, in the whole message.
  size_t field_count_max;
  // Bytes of structs, arrays, strings and bytes after unpacking.
  size_t memory_max;
} rpckit_guard_limits;

typedef struct {
  // Fields on the wire and elements of packed fields.
  size_t field_count;
  // Bytes of structs, arrays, strings and bytes after unpacking.
  size_t memory;
  // There is something legal that protobuf-c cannot read: `rpckit_rewrite` must see the message
  // first.
  bool needs_rewriting;
} rpckit_guard_report;

// Walks the bytes once: no recursion, no allocation. Strings are not checked for UTF-8: they are
// bytes to protobuf-c here, and are checked when they become Swift strings.
rpckit_guard_verdict rpckit_guard(
  const ProtobufCMessageDescriptor *descriptor,
  const uint8_t *bytes,
  size_t count,
  const rpckit_guard_limits *limits,
  rpckit_guard_report *report);

#endif
