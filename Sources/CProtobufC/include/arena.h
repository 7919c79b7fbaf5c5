// A bump allocator per thread, for the C structs that exist while one message is read or written.
#ifndef CPROTOBUFC_ARENA_H
#define CPROTOBUFC_ARENA_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One thread's scratch memory. Freed when the thread ends.
typedef struct rpckit_arena rpckit_arena;

// Where an arena stood: what `rpckit_arena_end` goes back to.
typedef struct {
  rpckit_arena *arena;
  void *chunk;
  size_t used;
  size_t reserved;
  size_t limit;
} rpckit_arena_mark;

// Starts a use of the calling thread's arena that may take `limit` bytes. Uses nest: each must end,
// on the same thread, last begun first ended. The arena of the mark is NULL when there is no memory.
rpckit_arena_mark rpckit_arena_begin(size_t limit);

// Takes back everything that was allocated since the mark, in one step.
void rpckit_arena_end(rpckit_arena_mark mark);

// Memory aligned to 16 bytes, not zeroed; NULL past the limit. Never NULL for zero bytes.
void *rpckit_arena_allocate(rpckit_arena *arena, size_t size);

// Whether the limit has refused memory since the last `rpckit_arena_begin`.
bool rpckit_arena_has_refused(const rpckit_arena *arena);

// The arena as protobuf-c wants it; its `free` does nothing.
ProtobufCAllocator *rpckit_arena_allocator(rpckit_arena *arena);

#endif
