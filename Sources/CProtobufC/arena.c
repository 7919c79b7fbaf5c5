#include "arena.h"

#include <pthread.h>
#include <stdlib.h>

// The chunk that a thread keeps: small messages fit, so that reading and writing them never mallocs.
#define CHUNK_SIZE_MIN ((size_t)16 << 10)
// A thread that needed more keeps up to this, so that its next large message does not malloc either.
#define CHUNK_SIZE_KEPT_MAX ((size_t)256 << 10)
#define ALIGNMENT ((size_t)16)

struct chunk {
  struct chunk *previous;
  size_t capacity;
  _Alignas(16) uint8_t bytes[];
};

struct rpckit_arena {
  ProtobufCAllocator allocator;
  struct chunk *current;
  size_t used;
  size_t reserved;
  size_t limit;
  unsigned depth;
  bool has_refused;
};

static _Thread_local struct rpckit_arena *thread_arena;
static pthread_key_t thread_arena_key;
static pthread_once_t thread_arena_once = PTHREAD_ONCE_INIT;

static void *allocate_for_protobuf_c(void *arena, size_t size) {
  return rpckit_arena_allocate(arena, size);
}

static void free_for_protobuf_c(void *arena, void *pointer) {
  (void)arena;
  (void)pointer;
}

static void destroy(void *pointer) {
  struct rpckit_arena *arena = pointer;
  for (struct chunk *chunk = arena->current; chunk != NULL;) {
    struct chunk *previous = chunk->previous;
    free(chunk);
    chunk = previous;
  }
  free(arena);
  thread_arena = NULL;
}

static void make_key(void) { (void)pthread_key_create(&thread_arena_key, destroy); }

static struct rpckit_arena *make_thread_arena(void) {
  (void)pthread_once(&thread_arena_once, make_key);
  struct rpckit_arena *arena = calloc(1, sizeof *arena);
  if (arena == NULL) return NULL;
  arena->allocator.alloc = allocate_for_protobuf_c;
  arena->allocator.free = free_for_protobuf_c;
  arena->allocator.allocator_data = arena;
  if (pthread_setspecific(thread_arena_key, arena) != 0) {
    free(arena);
    return NULL;
  }
  thread_arena = arena;
  return arena;
}

rpckit_arena_mark rpckit_arena_begin(size_t limit) {
  struct rpckit_arena *arena = thread_arena;
  if (arena == NULL) arena = make_thread_arena();
  rpckit_arena_mark mark = {arena, NULL, 0, 0, 0};
  if (arena == NULL) return mark;
  mark.chunk = arena->current;
  mark.used = arena->used;
  mark.reserved = arena->reserved;
  mark.limit = arena->limit;
  arena->reserved = 0;
  arena->limit = limit;
  arena->depth += 1;
  arena->has_refused = false;
  return mark;
}

void rpckit_arena_end(rpckit_arena_mark mark) {
  struct rpckit_arena *arena = mark.arena;
  if (arena == NULL) return;
  arena->depth -= 1;
  if (arena->depth > 0) {
    while (arena->current != mark.chunk) {
      struct chunk *previous = arena->current->previous;
      free(arena->current);
      arena->current = previous;
    }
    arena->used = mark.used;
    arena->reserved = mark.reserved;
    arena->limit = mark.limit;
    return;
  }
  // The outermost use keeps one chunk: the newest, which is the largest, unless it is too large.
  struct chunk *kept = arena->current;
  if (kept != NULL) {
    struct chunk *chunk = kept->previous;
    kept->previous = NULL;
    while (chunk != NULL) {
      struct chunk *previous = chunk->previous;
      free(chunk);
      chunk = previous;
    }
    if (kept->capacity > CHUNK_SIZE_KEPT_MAX) {
      free(kept);
      kept = NULL;
    }
  }
  arena->current = kept;
  arena->used = 0;
  arena->reserved = 0;
  arena->limit = 0;
}

static void *allocate_in_new_chunk(struct rpckit_arena *arena, size_t size) {
  size_t capacity = CHUNK_SIZE_MIN;
  if (arena->current != NULL && arena->current->capacity >= capacity) {
    capacity = arena->current->capacity;
    // Doubling keeps the number of chunks small; the limit bounds the whole.
    if (capacity <= SIZE_MAX / 4) capacity *= 2;
  }
  if (capacity < size) capacity = size;
  if (capacity > SIZE_MAX - sizeof(struct chunk)) return NULL;
  struct chunk *chunk = malloc(sizeof(struct chunk) + capacity);
  if (chunk == NULL) return NULL;
  chunk->previous = arena->current;
  chunk->capacity = capacity;
  arena->current = chunk;
  arena->used = size;
  return chunk->bytes;
}

void *rpckit_arena_allocate(rpckit_arena *arena, size_t size) {
  size_t rounded = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
  // Rounding up what is nearly the whole address space wraps to less.
  if (rounded < size || rounded > arena->limit - arena->reserved) {
    arena->has_refused = true;
    return NULL;
  }
  arena->reserved += rounded;
  struct chunk *chunk = arena->current;
  if (chunk == NULL || chunk->capacity - arena->used < rounded) {
    return allocate_in_new_chunk(arena, rounded);
  }
  void *memory = chunk->bytes + arena->used;
  arena->used += rounded;
  return memory;
}

bool rpckit_arena_has_refused(const rpckit_arena *arena) { return arena->has_refused; }

ProtobufCAllocator *rpckit_arena_allocator(rpckit_arena *arena) { return &arena->allocator; }
