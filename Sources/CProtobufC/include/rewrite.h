// Makes messages that protobuf-c 1.4.1 can read out of legal ones that it cannot.
#ifndef CPROTOBUFC_REWRITE_H
#define CPROTOBUFC_REWRITE_H

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

typedef struct {
  uint8_t *bytes;
  size_t count;
} rpckit_rewritten;

// Rewrites a message that has passed the guard so that each message field that is not repeated
// occurs once in its message, and leaves out groups and known fields of another wire type.
//
// A parser must skip those two as fields that it does not know; protobuf-c fails on them, or reads
// a boolean out of anything. And a parser must merge the occurrences (protobuf.dev/programming-guides/encoding, "Last One Wins"),
// which is what parsing their bytes one behind the other does. protobuf-c's own merge drops numbers
// of proto3 and reads out of bounds when a oneof is unset in both; this keeps it from ever merging.
//
// The memory comes from `arena`, a small multiple of `count` per level of nesting; `bytes` is NULL
// when that ran out. Recurses as deeply as the guard allowed.
rpckit_rewritten rpckit_rewrite(
  const ProtobufCMessageDescriptor *descriptor,
  const uint8_t *bytes,
  size_t count,
  rpckit_arena *arena);

#endif
