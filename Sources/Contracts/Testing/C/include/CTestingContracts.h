// Written by scripts/generate. Do not edit.
#ifndef CTESTINGCONTRACTS_H
#define CTESTINGCONTRACTS_H

#include <CProtobufC.h>

#include "benchmark/v1/permission.pb-c.h"
#include "grpc/testing/test.pb-c.h"
#include "testing/v1/library.pb-c.h"
#include "testing/v1/rich.pb-c.h"

static inline const ProtobufCMessageDescriptor *rpckit_descriptor_benchmark__v1__check_request(void) {
  return &benchmark__v1__check_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_benchmark__v1__check_response(void) {
  return &benchmark__v1__check_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__testing__empty(void) {
  return &grpc__testing__empty__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__testing__bool_value(void) {
  return &grpc__testing__bool_value__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__testing__payload(void) {
  return &grpc__testing__payload__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__testing__echo_status(void) {
  return &grpc__testing__echo_status__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__testing__simple_request(void) {
  return &grpc__testing__simple_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__testing__simple_response(void) {
  return &grpc__testing__simple_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__testing__streaming_input_call_request(void) {
  return &grpc__testing__streaming_input_call_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__testing__streaming_input_call_response(void) {
  return &grpc__testing__streaming_input_call_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__testing__response_parameters(void) {
  return &grpc__testing__response_parameters__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__testing__streaming_output_call_request(void) {
  return &grpc__testing__streaming_output_call_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__testing__streaming_output_call_response(void) {
  return &grpc__testing__streaming_output_call_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__author(void) {
  return &testing__v1__author__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__book(void) {
  return &testing__v1__book__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__get_book_request(void) {
  return &testing__v1__get_book_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__create_book_request(void) {
  return &testing__v1__create_book_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__update_book_request(void) {
  return &testing__v1__update_book_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__list_books_request(void) {
  return &testing__v1__list_books_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__list_books_response(void) {
  return &testing__v1__list_books_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__book_text(void) {
  return &testing__v1__book_text__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__name_request(void) {
  return &testing__v1__name_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__inspect_request(void) {
  return &testing__v1__inspect_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__inspect_response(void) {
  return &testing__v1__inspect_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__reader_request(void) {
  return &testing__v1__reader_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__node(void) {
  return &testing__v1__node__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__rich(void) {
  return &testing__v1__rich__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__rich__part(void) {
  return &testing__v1__rich__part__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__rich__labels_entry(void) {
  return &testing__v1__rich__labels_entry__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__rich__parts_entry(void) {
  return &testing__v1__rich__parts_entry__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__rich__moods_entry(void) {
  return &testing__v1__rich__moods_entry__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__rich__blobs_entry(void) {
  return &testing__v1__rich__blobs_entry__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__rich__weights_entry(void) {
  return &testing__v1__rich__weights_entry__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__rich__numbers_entry(void) {
  return &testing__v1__rich__numbers_entry__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__ruled(void) {
  return &testing__v1__ruled__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__ruled__named_entry(void) {
  return &testing__v1__ruled__named_entry__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_testing__v1__ruled__hints_entry(void) {
  return &testing__v1__ruled__hints_entry__descriptor;
}

#endif
