// Written by scripts/generate. Do not edit.
#ifndef CPROTOBUFC_GENERATED_H
#define CPROTOBUFC_GENERATED_H

#include "gatehouse/options.pb-c.h"
#include "google/api/annotations.pb-c.h"
#include "google/api/http.pb-c.h"
#include "google/protobuf/any.pb-c.h"
#include "google/protobuf/descriptor.pb-c.h"
#include "google/protobuf/duration.pb-c.h"
#include "google/protobuf/empty.pb-c.h"
#include "google/protobuf/field_mask.pb-c.h"
#include "google/protobuf/struct.pb-c.h"
#include "google/protobuf/timestamp.pb-c.h"
#include "google/protobuf/wrappers.pb-c.h"
#include "google/rpc/error_details.pb-c.h"
#include "google/rpc/status.pb-c.h"
#include "grpc/health/v1/health.pb-c.h"
#include "grpc/reflection/v1/reflection.pb-c.h"
#include "grpc/reflection/v1alpha/reflection.pb-c.h"
#include "rpc/v1/settings.pb-c.h"

static inline const ProtobufCMessageDescriptor *rpckit_descriptor_gatehouse__method_rules(void) {
  return &gatehouse__method_rules__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_gatehouse__field_rules(void) {
  return &gatehouse__field_rules__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_gatehouse__rest_rules(void) {
  return &gatehouse__rest_rules__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_gatehouse__jsonrules(void) {
  return &gatehouse__jsonrules__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__api__http_rule(void) {
  return &google__api__http_rule__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__api__custom_http_pattern(void) {
  return &google__api__custom_http_pattern__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__any(void) {
  return &google__protobuf__any__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__file_descriptor_set(void) {
  return &google__protobuf__file_descriptor_set__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__file_descriptor_proto(void) {
  return &google__protobuf__file_descriptor_proto__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__descriptor_proto(void) {
  return &google__protobuf__descriptor_proto__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__descriptor_proto__extension_range(void) {
  return &google__protobuf__descriptor_proto__extension_range__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__descriptor_proto__reserved_range(void) {
  return &google__protobuf__descriptor_proto__reserved_range__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__extension_range_options(void) {
  return &google__protobuf__extension_range_options__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__field_descriptor_proto(void) {
  return &google__protobuf__field_descriptor_proto__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__oneof_descriptor_proto(void) {
  return &google__protobuf__oneof_descriptor_proto__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__enum_descriptor_proto(void) {
  return &google__protobuf__enum_descriptor_proto__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__enum_descriptor_proto__enum_reserved_range(void) {
  return &google__protobuf__enum_descriptor_proto__enum_reserved_range__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__enum_value_descriptor_proto(void) {
  return &google__protobuf__enum_value_descriptor_proto__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__service_descriptor_proto(void) {
  return &google__protobuf__service_descriptor_proto__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__method_descriptor_proto(void) {
  return &google__protobuf__method_descriptor_proto__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__file_options(void) {
  return &google__protobuf__file_options__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__message_options(void) {
  return &google__protobuf__message_options__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__field_options(void) {
  return &google__protobuf__field_options__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__oneof_options(void) {
  return &google__protobuf__oneof_options__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__enum_options(void) {
  return &google__protobuf__enum_options__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__enum_value_options(void) {
  return &google__protobuf__enum_value_options__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__service_options(void) {
  return &google__protobuf__service_options__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__method_options(void) {
  return &google__protobuf__method_options__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__uninterpreted_option(void) {
  return &google__protobuf__uninterpreted_option__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__uninterpreted_option__name_part(void) {
  return &google__protobuf__uninterpreted_option__name_part__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__source_code_info(void) {
  return &google__protobuf__source_code_info__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__source_code_info__location(void) {
  return &google__protobuf__source_code_info__location__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__generated_code_info(void) {
  return &google__protobuf__generated_code_info__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__generated_code_info__annotation(void) {
  return &google__protobuf__generated_code_info__annotation__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__duration(void) {
  return &google__protobuf__duration__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__empty(void) {
  return &google__protobuf__empty__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__field_mask(void) {
  return &google__protobuf__field_mask__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__struct(void) {
  return &google__protobuf__struct__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__struct__fields_entry(void) {
  return &google__protobuf__struct__fields_entry__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__value(void) {
  return &google__protobuf__value__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__list_value(void) {
  return &google__protobuf__list_value__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__timestamp(void) {
  return &google__protobuf__timestamp__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__double_value(void) {
  return &google__protobuf__double_value__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__float_value(void) {
  return &google__protobuf__float_value__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__int64_value(void) {
  return &google__protobuf__int64_value__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__uint64_value(void) {
  return &google__protobuf__uint64_value__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__int32_value(void) {
  return &google__protobuf__int32_value__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__uint32_value(void) {
  return &google__protobuf__uint32_value__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__bool_value(void) {
  return &google__protobuf__bool_value__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__string_value(void) {
  return &google__protobuf__string_value__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__bytes_value(void) {
  return &google__protobuf__bytes_value__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__rpc__error_info(void) {
  return &google__rpc__error_info__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__rpc__error_info__metadata_entry(void) {
  return &google__rpc__error_info__metadata_entry__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__rpc__retry_info(void) {
  return &google__rpc__retry_info__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__rpc__debug_info(void) {
  return &google__rpc__debug_info__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__rpc__quota_failure(void) {
  return &google__rpc__quota_failure__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__rpc__quota_failure__violation(void) {
  return &google__rpc__quota_failure__violation__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__rpc__precondition_failure(void) {
  return &google__rpc__precondition_failure__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__rpc__precondition_failure__violation(void) {
  return &google__rpc__precondition_failure__violation__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__rpc__bad_request(void) {
  return &google__rpc__bad_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__rpc__bad_request__field_violation(void) {
  return &google__rpc__bad_request__field_violation__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__rpc__request_info(void) {
  return &google__rpc__request_info__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__rpc__resource_info(void) {
  return &google__rpc__resource_info__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__rpc__help(void) {
  return &google__rpc__help__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__rpc__help__link(void) {
  return &google__rpc__help__link__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__rpc__localized_message(void) {
  return &google__rpc__localized_message__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__rpc__status(void) {
  return &google__rpc__status__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__health__v1__health_check_request(void) {
  return &grpc__health__v1__health_check_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__health__v1__health_check_response(void) {
  return &grpc__health__v1__health_check_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__reflection__v1__server_reflection_request(void) {
  return &grpc__reflection__v1__server_reflection_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__reflection__v1__extension_request(void) {
  return &grpc__reflection__v1__extension_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__reflection__v1__server_reflection_response(void) {
  return &grpc__reflection__v1__server_reflection_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__reflection__v1__file_descriptor_response(void) {
  return &grpc__reflection__v1__file_descriptor_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__reflection__v1__extension_number_response(void) {
  return &grpc__reflection__v1__extension_number_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__reflection__v1__list_service_response(void) {
  return &grpc__reflection__v1__list_service_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__reflection__v1__service_response(void) {
  return &grpc__reflection__v1__service_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__reflection__v1__error_response(void) {
  return &grpc__reflection__v1__error_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__reflection__v1alpha__server_reflection_request(void) {
  return &grpc__reflection__v1alpha__server_reflection_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__reflection__v1alpha__extension_request(void) {
  return &grpc__reflection__v1alpha__extension_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__reflection__v1alpha__server_reflection_response(void) {
  return &grpc__reflection__v1alpha__server_reflection_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__reflection__v1alpha__file_descriptor_response(void) {
  return &grpc__reflection__v1alpha__file_descriptor_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__reflection__v1alpha__extension_number_response(void) {
  return &grpc__reflection__v1alpha__extension_number_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__reflection__v1alpha__list_service_response(void) {
  return &grpc__reflection__v1alpha__list_service_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__reflection__v1alpha__service_response(void) {
  return &grpc__reflection__v1alpha__service_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_grpc__reflection__v1alpha__error_response(void) {
  return &grpc__reflection__v1alpha__error_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_rpc__v1__settings(void) {
  return &rpc__v1__settings__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_rpc__v1__go_away(void) {
  return &rpc__v1__go_away__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_rpc__v1__credit(void) {
  return &rpc__v1__credit__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_rpc__v1__ping(void) {
  return &rpc__v1__ping__descriptor;
}

#endif
