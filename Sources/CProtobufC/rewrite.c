#include "rewrite.h"

#include <stdbool.h>
#include <string.h>

#include "wire.h"

// A length is written in this many bytes, so that it can be filled in afterwards; protobuf-c reads
// up to five, and zeros in front are allowed.
#define LENGTH_SIZE ((size_t)5)
#define TAG_SIZE_MAX ((size_t)5)

struct field {
  const ProtobufCFieldDescriptor *descriptor;
  uint32_t tag;
  // From the tag to the end of the field, and the payload of a length-delimited one.
  const uint8_t *start;
  const uint8_t *end;
  const uint8_t *payload;
};

// The guard has passed the bytes: nothing here runs past their end.
static uint64_t read_varint(const uint8_t **at) {
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    uint8_t byte = *(*at)++;
    if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

// Skips the value behind a tag; for a length-delimited one, `payload` is where its bytes begin.
static void skip_value(unsigned wire_type, const uint8_t **at, const uint8_t **payload) {
  switch (wire_type) {
    case PROTOBUF_C_WIRE_TYPE_VARINT:
      (void)read_varint(at);
      break;
    case PROTOBUF_C_WIRE_TYPE_64BIT:
      *at += 8;
      break;
    case PROTOBUF_C_WIRE_TYPE_32BIT:
      *at += 4;
      break;
    default: {
      size_t length = (size_t)read_varint(at);
      *payload = *at;
      *at += length;
    }
  }
}

static void skip_group(const uint8_t **at) {
  const uint8_t *payload;
  for (size_t depth = 1; depth > 0;) {
    unsigned wire_type = (unsigned)(read_varint(at) & 7);
    if (wire_type == RPCKIT_WIRE_TYPE_START_GROUP) {
      depth += 1;
    } else if (wire_type == RPCKIT_WIRE_TYPE_END_GROUP) {
      depth -= 1;
    } else {
      skip_value(wire_type, at, &payload);
    }
  }
}

// Reads the next field that is to be kept, and moves behind it; false at the end of the message.
static bool next_field(
  const ProtobufCMessageDescriptor *message,
  const uint8_t **at,
  const uint8_t *end,
  struct field *field) {
  while (*at < end) {
    *field = (struct field){NULL, 0, *at, NULL, NULL};
    field->tag = (uint32_t)read_varint(at);
    ProtobufCWireType wire_type = field->tag & 7;
    if ((unsigned)wire_type == RPCKIT_WIRE_TYPE_START_GROUP) {
      skip_group(at);
      continue;
    }
    skip_value((unsigned)wire_type, at, &field->payload);
    field->end = *at;
    field->descriptor = protobuf_c_message_descriptor_get_field(message, field->tag >> 3);
    if (field->descriptor == NULL || rpckit_is_declared(field->descriptor, wire_type)) return true;
  }
  return false;
}

static bool is_message(const struct field *field) {
  return field->descriptor != NULL && field->descriptor->type == PROTOBUF_C_TYPE_MESSAGE;
}

static bool is_singular(const ProtobufCFieldDescriptor *field) {
  return field->label != PROTOBUF_C_LABEL_REPEATED;
}

// Whether setting `other` unsets `field`: both are in the same oneof.
static bool is_rival(const ProtobufCFieldDescriptor *field, const ProtobufCFieldDescriptor *other) {
  return other != NULL && other != field && (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0
    && (other->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0
    && other->quantifier_offset == field->quantifier_offset;
}

// What the last pass over a message found for one of its fields.
struct occurrences {
  // Bytes of all payloads that are to be merged.
  size_t size;
  // Where they are collected, and how many bytes already are.
  uint8_t *bytes;
  size_t used;
  // The field of the last occurrence: the one that is written.
  const uint8_t *last;
  // Occurrences in front of this one were unset by another member of their oneof.
  const uint8_t *first;
};

static uint8_t *write_length(uint8_t *at, size_t length) {
  for (size_t i = 0; i < LENGTH_SIZE; i++) {
    *at++ = (uint8_t)((length & 0x7f) | (i + 1 < LENGTH_SIZE ? 0x80 : 0));
    length >>= 7;
  }
  return at;
}

static void find_occurrences(
  const ProtobufCMessageDescriptor *message,
  const uint8_t *bytes,
  size_t count,
  struct occurrences *found) {
  struct field field;
  for (const uint8_t *at = bytes; next_field(message, &at, bytes + count, &field);) {
    if (field.descriptor == NULL || !is_singular(field.descriptor)) continue;
    if ((field.descriptor->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0) {
      for (unsigned i = 0; i < message->n_fields; i++) {
        if (is_rival(field.descriptor, &message->fields[i])) {
          found[i].size = 0;
          found[i].first = NULL;
        }
      }
    }
    if (!is_message(&field)) continue;
    struct occurrences *occurrences = &found[field.descriptor - message->fields];
    if (occurrences->first == NULL) occurrences->first = field.start;
    occurrences->last = field.start;
    occurrences->size += (size_t)(field.end - field.payload);
  }
}

rpckit_rewritten rpckit_rewrite(
  const ProtobufCMessageDescriptor *message,
  const uint8_t *bytes,
  size_t count,
  rpckit_arena *arena) {
  rpckit_rewritten failure = {NULL, 0};
  size_t found_size = message->n_fields * sizeof(struct occurrences);
  struct occurrences *found = rpckit_arena_allocate(arena, found_size);
  if (found == NULL) return failure;
  if (found_size > 0) memset(found, 0, found_size);
  find_occurrences(message, bytes, count, found);

  // First the parts, rewritten themselves, so that the size of the whole is known.
  size_t total = 0;
  size_t part_count = 0;
  struct field field;
  for (const uint8_t *at = bytes; next_field(message, &at, bytes + count, &field);) {
    if (is_message(&field)) part_count += 1;
  }
  if (part_count > SIZE_MAX / sizeof(rpckit_rewritten)) return failure;
  rpckit_rewritten *parts = rpckit_arena_allocate(arena, part_count * sizeof(rpckit_rewritten));
  if (parts == NULL) return failure;
  size_t part_index = 0;
  for (const uint8_t *at = bytes; next_field(message, &at, bytes + count, &field);) {
    if (!is_message(&field)) {
      total += (size_t)(field.end - field.start);
      continue;
    }
    const uint8_t *payload = field.payload;
    size_t payload_count = (size_t)(field.end - field.payload);
    rpckit_rewritten *part = &parts[part_index++];
    *part = failure;
    if (is_singular(field.descriptor)) {
      struct occurrences *occurrences = &found[field.descriptor - message->fields];
      // Unset by a rival: protobuf-c would only throw it away again.
      if (occurrences->first == NULL || field.start < occurrences->first) continue;
      if (occurrences->first != occurrences->last) {
        if (occurrences->bytes == NULL) {
          occurrences->bytes = rpckit_arena_allocate(arena, occurrences->size);
          if (occurrences->bytes == NULL) return failure;
        }
        if (payload_count > 0) {
          memcpy(occurrences->bytes + occurrences->used, payload, payload_count);
          occurrences->used += payload_count;
        }
        if (field.start != occurrences->last) continue;
        payload = occurrences->bytes;
        payload_count = occurrences->used;
      }
    }
    *part = rpckit_rewrite(field.descriptor->descriptor, payload, payload_count, arena);
    if (part->bytes == NULL) return failure;
    total += TAG_SIZE_MAX + LENGTH_SIZE + part->count;
  }

  rpckit_rewritten whole = {rpckit_arena_allocate(arena, total), 0};
  if (whole.bytes == NULL) return failure;
  uint8_t *target = whole.bytes;
  part_index = 0;
  for (const uint8_t *at = bytes; next_field(message, &at, bytes + count, &field);) {
    if (!is_message(&field)) {
      memcpy(target, field.start, (size_t)(field.end - field.start));
      target += field.end - field.start;
      continue;
    }
    rpckit_rewritten part = parts[part_index++];
    if (part.bytes == NULL) continue;
    for (uint32_t tag = field.tag;; tag >>= 7) {
      *target++ = (uint8_t)((tag & 0x7f) | (tag >= 0x80 ? 0x80 : 0));
      if (tag < 0x80) break;
    }
    target = write_length(target, part.count);
    if (part.count > 0) memcpy(target, part.bytes, part.count);
    target += part.count;
  }
  whole.count = (size_t)(target - whole.bytes);
  return whole;
}
