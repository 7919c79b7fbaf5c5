// What the guard and the rewriting know alike of protobuf's wire format.
#ifndef CPROTOBUFC_WIRE_H
#define CPROTOBUFC_WIRE_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

// The wire types of groups, which protobuf-c has no names for.
#define RPCKIT_WIRE_TYPE_START_GROUP 3
#define RPCKIT_WIRE_TYPE_END_GROUP 4

// The wire type of one value.
static inline ProtobufCWireType rpckit_wire_type_of(ProtobufCType type) {
  switch (type) {
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
      return PROTOBUF_C_WIRE_TYPE_32BIT;
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
      return PROTOBUF_C_WIRE_TYPE_64BIT;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
      return PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
    default:
      return PROTOBUF_C_WIRE_TYPE_VARINT;
  }
}

// Whether a field of this wire type is the one that the contract declares. If not, a parser must
// treat it as a field that it does not know. A repeated number may be packed or not, whatever the
// contract says.
static inline bool rpckit_is_declared(
  const ProtobufCFieldDescriptor *field, ProtobufCWireType wire_type) {
  return wire_type == rpckit_wire_type_of(field->type)
    || (field->label == PROTOBUF_C_LABEL_REPEATED
        && wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED);
}

#endif
