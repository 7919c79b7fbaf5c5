#include "guard.h"

#include "wire.h"

// A field is looked for at `next` and behind it before it is searched, so that a message whose
// fields come in order, as every encoder writes them, mostly needs no search.
struct level {
  const ProtobufCMessageDescriptor *descriptor;
  const uint8_t *end;
  const ProtobufCFieldDescriptor *next;
  // Bit i: a message field with index i (modulo 64) that is not repeated was seen.
  uint64_t seen;
};

struct cursor {
  const uint8_t *at;
  const uint8_t *end;
};

// A tag or a length: protobuf-c reads at most five bytes of either.
static inline bool read_varint32(struct cursor *cursor, uint32_t *value) {
  if (cursor->at < cursor->end && *cursor->at < 0x80) {
    *value = *cursor->at++;
    return true;
  }
  uint64_t wide = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    if (cursor->at == cursor->end) return false;
    uint8_t byte = *cursor->at++;
    wide |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      if (wide > UINT32_MAX) return false;
      *value = (uint32_t)wide;
      return true;
    }
  }
  return false;
}

// The value of a varint field: at most ten bytes.
static inline bool skip_varint(struct cursor *cursor) {
  for (unsigned i = 0; i < 10; i++) {
    if (cursor->at == cursor->end) return false;
    if (*cursor->at++ < 0x80) return true;
  }
  return false;
}

static inline bool skip(struct cursor *cursor, size_t count) {
  if ((size_t)(cursor->end - cursor->at) < count) return false;
  cursor->at += count;
  return true;
}

// Fields are sorted by number; the ranges of protobuf-c only make the same search longer.
static const ProtobufCFieldDescriptor *find_field(
  const ProtobufCMessageDescriptor *descriptor, uint32_t number) {
  unsigned low = 0;
  unsigned high = descriptor->n_fields;
  while (low < high) {
    unsigned middle = low + (high - low) / 2;
    uint32_t id = descriptor->fields[middle].id;
    if (id == number) return &descriptor->fields[middle];
    if (id < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return NULL;
}

static inline size_t element_size_of(ProtobufCType type) {
  switch (type) {
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_UINT64:
      return 8;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE:
      return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES:
      return sizeof(ProtobufCBinaryData);
    default:
      return 4;
  }
}

// Counts the elements of a packed field and checks each one.
static bool count_packed(struct cursor elements, ProtobufCType type, size_t *count) {
  size_t size = (size_t)(elements.end - elements.at);
  switch (rpckit_wire_type_of(type)) {
    case PROTOBUF_C_WIRE_TYPE_32BIT:
      *count = size / 4;
      return size % 4 == 0;
    case PROTOBUF_C_WIRE_TYPE_64BIT:
      *count = size / 8;
      return size % 8 == 0;
    default:
      *count = 0;
      while (elements.at < elements.end) {
        if (!skip_varint(&elements)) return false;
        *count += 1;
      }
      return true;
  }
}

// Skips what follows the tag that opens a group, to the tag that closes it. Kept out of the loop of
// the guard: nothing but proto2 writes groups.
static __attribute__((noinline)) rpckit_guard_verdict skip_group(
  struct cursor *cursor,
  uint32_t number,
  size_t depth_max,
  size_t field_count_max,
  size_t *field_count) {
  uint32_t open[RPCKIT_GUARD_DEPTH_MAX];
  size_t depth = 0;
  if (depth_max == 0) return RPCKIT_GUARD_NESTED_TOO_DEEPLY;
  open[depth++] = number;
  while (depth > 0) {
    uint32_t tag;
    uint32_t length;
    if (!read_varint32(cursor, &tag) || tag >> 3 == 0) return RPCKIT_GUARD_MALFORMED;
    if ((tag & 7) == RPCKIT_WIRE_TYPE_END_GROUP) {
      if (open[--depth] != tag >> 3) return RPCKIT_GUARD_MALFORMED;
      continue;
    }
    if (*field_count == field_count_max) return RPCKIT_GUARD_TOO_MANY_FIELDS;
    *field_count += 1;
    switch (tag & 7) {
      case PROTOBUF_C_WIRE_TYPE_VARINT:
        if (!skip_varint(cursor)) return RPCKIT_GUARD_MALFORMED;
        break;
      case PROTOBUF_C_WIRE_TYPE_64BIT:
        if (!skip(cursor, 8)) return RPCKIT_GUARD_MALFORMED;
        break;
      case PROTOBUF_C_WIRE_TYPE_32BIT:
        if (!skip(cursor, 4)) return RPCKIT_GUARD_MALFORMED;
        break;
      case PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED:
        if (!read_varint32(cursor, &length)) return RPCKIT_GUARD_MALFORMED;
        if (!skip(cursor, length)) return RPCKIT_GUARD_MALFORMED;
        break;
      case RPCKIT_WIRE_TYPE_START_GROUP:
        if (depth == depth_max) return RPCKIT_GUARD_NESTED_TOO_DEEPLY;
        open[depth++] = tag >> 3;
        break;
      default:
        return RPCKIT_GUARD_MALFORMED;
    }
  }
  return RPCKIT_GUARD_PASSED;
}

rpckit_guard_verdict rpckit_guard(
  const ProtobufCMessageDescriptor *descriptor,
  const uint8_t *bytes,
  size_t count,
  const rpckit_guard_limits *limits,
  rpckit_guard_report *report) {
  struct level levels[RPCKIT_GUARD_DEPTH_MAX + 1];
  struct level *level = levels;
  size_t depth_max = limits->depth_max;
  if (depth_max > RPCKIT_GUARD_DEPTH_MAX) depth_max = RPCKIT_GUARD_DEPTH_MAX;
  size_t memory_max = limits->memory_max;
  size_t memory = descriptor->sizeof_message;
  size_t field_count = 0;
  bool needs_rewriting = false;

  *level = (struct level){descriptor, bytes + count, descriptor->fields, 0};
  struct cursor cursor = {bytes, bytes + count};

  for (;;) {
    while (cursor.at == level->end) {
      if (level == levels) {
        report->field_count = field_count;
        report->memory = memory;
        report->needs_rewriting = needs_rewriting;
        return memory > memory_max ? RPCKIT_GUARD_NEEDS_TOO_MUCH_MEMORY : RPCKIT_GUARD_PASSED;
      }
      level -= 1;
      cursor.end = level->end;
    }

    uint32_t tag;
    if (!read_varint32(&cursor, &tag)) return RPCKIT_GUARD_MALFORMED;
    uint32_t number = tag >> 3;
    ProtobufCWireType wire_type = tag & 7;
    if (number == 0) return RPCKIT_GUARD_MALFORMED;
    if (field_count == limits->field_count_max) return RPCKIT_GUARD_TOO_MANY_FIELDS;
    field_count += 1;

    const ProtobufCMessageDescriptor *message = level->descriptor;
    const ProtobufCFieldDescriptor *field = level->next;
    const ProtobufCFieldDescriptor *fields_end = message->fields + message->n_fields;
    if (field != fields_end && field->id != number) field += 1;
    if (field == fields_end || field->id != number) field = find_field(message, number);
    uint32_t length = 0;
    switch ((unsigned)wire_type) {
      case PROTOBUF_C_WIRE_TYPE_VARINT:
        if (!skip_varint(&cursor)) return RPCKIT_GUARD_MALFORMED;
        break;
      case PROTOBUF_C_WIRE_TYPE_64BIT:
        if (!skip(&cursor, 8)) return RPCKIT_GUARD_MALFORMED;
        break;
      case PROTOBUF_C_WIRE_TYPE_32BIT:
        if (!skip(&cursor, 4)) return RPCKIT_GUARD_MALFORMED;
        break;
      case PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED:
        if (!read_varint32(&cursor, &length)) return RPCKIT_GUARD_MALFORMED;
        if (!skip(&cursor, length)) return RPCKIT_GUARD_MALFORMED;
        break;
      case RPCKIT_WIRE_TYPE_START_GROUP: {
        // protobuf-c cannot skip a group. What is counted all the time stays in registers, because
        // only these copies have an address.
        struct cursor group = cursor;
        size_t group_field_count = field_count;
        size_t depth_left = depth_max - (size_t)(level - levels);
        rpckit_guard_verdict verdict = skip_group(
          &group, number, depth_left, limits->field_count_max, &group_field_count);
        if (verdict != RPCKIT_GUARD_PASSED) return verdict;
        cursor = group;
        field_count = group_field_count;
        needs_rewriting = true;
        break;
      }
      default:
        // A group that closes without having been opened, and the two wire types that do not exist.
        return RPCKIT_GUARD_MALFORMED;
    }

    ProtobufCWireType expected = wire_type;
    bool is_repeated = false;
    if (field != NULL) {
      expected = rpckit_wire_type_of(field->type);
      is_repeated = field->label == PROTOBUF_C_LABEL_REPEATED;
      // A repeated field mostly comes again, any other does not.
      level->next = is_repeated ? field : field + 1;
    }
    if (wire_type != expected) {
      if (rpckit_is_declared(field, wire_type)) {
        struct cursor elements = {cursor.at - length, cursor.at};
        size_t elements_count;
        if (!count_packed(elements, field->type, &elements_count)) return RPCKIT_GUARD_MALFORMED;
        if (elements_count > limits->field_count_max - field_count) {
          return RPCKIT_GUARD_TOO_MANY_FIELDS;
        }
        field_count += elements_count;
        memory += elements_count * element_size_of(field->type);
      } else {
        // A field like one that is not known. protobuf-c would refuse it or, if it is a boolean,
        // believe it.
        needs_rewriting = true;
      }
    } else if (field == NULL) {
      // protobuf-c keeps unknown fields: a header and a copy of each.
      memory += sizeof(ProtobufCMessageUnknownField) + length;
    } else {
      if (is_repeated) memory += element_size_of(field->type);
      if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
        const ProtobufCMessageDescriptor *nested = field->descriptor;
        memory += nested->sizeof_message;
        if (!is_repeated) {
          uint64_t bit = (uint64_t)1 << ((size_t)(field - message->fields) & 63);
          if (level->seen & bit) needs_rewriting = true;
          level->seen |= bit;
        }
        if ((size_t)(level - levels) == depth_max) return RPCKIT_GUARD_NESTED_TOO_DEEPLY;
        cursor.end = cursor.at;
        cursor.at -= length;
        level += 1;
        *level = (struct level){nested, cursor.end, nested->fields, 0};
      } else {
        memory += length;
      }
    }
    // Each step adds at most a struct or what the input holds, so the sum cannot wrap.
    if (memory > memory_max) return RPCKIT_GUARD_NEEDS_TOO_MUCH_MEMORY;
  }
}
