// Written by scripts/generate. Do not edit.
#ifndef CTENANCYCONTRACTS_H
#define CTENANCYCONTRACTS_H

#include <CPeerContracts.h>

#include "envoy/config/core/v3/base.pb-c.h"
#include "envoy/service/auth/v3/external_auth.pb-c.h"
#include "envoy/type/v3/http_status.pb-c.h"
#include "tenancy/v1/address.pb-c.h"
#include "tenancy/v1/app_watch.pb-c.h"
#include "tenancy/v1/audit.pb-c.h"
#include "tenancy/v1/authzen.pb-c.h"
#include "tenancy/v1/devices.pb-c.h"
#include "tenancy/v1/documents.pb-c.h"
#include "tenancy/v1/entities.pb-c.h"
#include "tenancy/v1/families.pb-c.h"
#include "tenancy/v1/guests.pb-c.h"
#include "tenancy/v1/invitations.pb-c.h"
#include "tenancy/v1/legacy.pb-c.h"
#include "tenancy/v1/policies.pb-c.h"
#include "tenancy/v1/portfolios.pb-c.h"
#include "tenancy/v1/properties.pb-c.h"
#include "tenancy/v1/role_definitions.pb-c.h"
#include "tenancy/v1/roles.pb-c.h"
#include "tenancy/v1/schema.pb-c.h"
#include "tenancy/v1/subjects.pb-c.h"
#include "tenancy/v1/units.pb-c.h"
#include "tenancy/v1/webhooks.pb-c.h"

static inline const ProtobufCMessageDescriptor *rpckit_descriptor_envoy__config__core__v3__header_value(void) {
  return &envoy__config__core__v3__header_value__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_envoy__config__core__v3__header_value_option(void) {
  return &envoy__config__core__v3__header_value_option__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_envoy__service__auth__v3__attribute_context(void) {
  return &envoy__service__auth__v3__attribute_context__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_envoy__service__auth__v3__attribute_context__request(void) {
  return &envoy__service__auth__v3__attribute_context__request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_envoy__service__auth__v3__attribute_context__http_request(void) {
  return &envoy__service__auth__v3__attribute_context__http_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_envoy__service__auth__v3__attribute_context__http_request__headers_entry(void) {
  return &envoy__service__auth__v3__attribute_context__http_request__headers_entry__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_envoy__service__auth__v3__attribute_context__context_extensions_entry(void) {
  return &envoy__service__auth__v3__attribute_context__context_extensions_entry__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_envoy__service__auth__v3__check_request(void) {
  return &envoy__service__auth__v3__check_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_envoy__service__auth__v3__denied_http_response(void) {
  return &envoy__service__auth__v3__denied_http_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_envoy__service__auth__v3__ok_http_response(void) {
  return &envoy__service__auth__v3__ok_http_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_envoy__service__auth__v3__check_response(void) {
  return &envoy__service__auth__v3__check_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_envoy__type__v3__http_status(void) {
  return &envoy__type__v3__http_status__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__property_address(void) {
  return &tenancy__v1__property_address__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__app_watch_request(void) {
  return &tenancy__v1__app_watch_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__app_event(void) {
  return &tenancy__v1__app_event__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_tenancy_access_request(void) {
  return &tenancy__v1__list_tenancy_access_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_subject(void) {
  return &tenancy__v1__auth_zen_subject__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_action(void) {
  return &tenancy__v1__auth_zen_action__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_resource(void) {
  return &tenancy__v1__auth_zen_resource__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_evaluation(void) {
  return &tenancy__v1__auth_zen_evaluation__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_options(void) {
  return &tenancy__v1__auth_zen_options__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_evaluations_request(void) {
  return &tenancy__v1__auth_zen_evaluations_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_error(void) {
  return &tenancy__v1__auth_zen_error__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_reason(void) {
  return &tenancy__v1__auth_zen_reason__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_decision(void) {
  return &tenancy__v1__auth_zen_decision__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_evaluations_response(void) {
  return &tenancy__v1__auth_zen_evaluations_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_filter(void) {
  return &tenancy__v1__auth_zen_filter__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_page_request(void) {
  return &tenancy__v1__auth_zen_page_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_page(void) {
  return &tenancy__v1__auth_zen_page__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_subject_search_request(void) {
  return &tenancy__v1__auth_zen_subject_search_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_found_subject(void) {
  return &tenancy__v1__auth_zen_found_subject__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_subject_search_response(void) {
  return &tenancy__v1__auth_zen_subject_search_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_resource_search_request(void) {
  return &tenancy__v1__auth_zen_resource_search_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_found_resource(void) {
  return &tenancy__v1__auth_zen_found_resource__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_resource_search_response(void) {
  return &tenancy__v1__auth_zen_resource_search_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_action_search_request(void) {
  return &tenancy__v1__auth_zen_action_search_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_found_action(void) {
  return &tenancy__v1__auth_zen_found_action__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__auth_zen_action_search_response(void) {
  return &tenancy__v1__auth_zen_action_search_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__device(void) {
  return &tenancy__v1__device__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__register_device_request(void) {
  return &tenancy__v1__register_device_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__provision_device_request(void) {
  return &tenancy__v1__provision_device_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__unclaimed_device(void) {
  return &tenancy__v1__unclaimed_device__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__claim_device_request(void) {
  return &tenancy__v1__claim_device_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__release_device_request(void) {
  return &tenancy__v1__release_device_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_devices_request(void) {
  return &tenancy__v1__list_devices_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_devices_response(void) {
  return &tenancy__v1__list_devices_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__get_device_request(void) {
  return &tenancy__v1__get_device_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__update_device_request(void) {
  return &tenancy__v1__update_device_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__delete_device_request(void) {
  return &tenancy__v1__delete_device_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__operate_device_request(void) {
  return &tenancy__v1__operate_device_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__device_setting(void) {
  return &tenancy__v1__device_setting__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__access_record(void) {
  return &tenancy__v1__access_record__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__operate_device_response(void) {
  return &tenancy__v1__operate_device_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_history_request(void) {
  return &tenancy__v1__list_history_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_history_response(void) {
  return &tenancy__v1__list_history_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__device_command(void) {
  return &tenancy__v1__device_command__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__watch_commands_request(void) {
  return &tenancy__v1__watch_commands_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__command_event(void) {
  return &tenancy__v1__command_event__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__acknowledge_command_request(void) {
  return &tenancy__v1__acknowledge_command_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__acknowledge_command_response(void) {
  return &tenancy__v1__acknowledge_command_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__report_device_state_request(void) {
  return &tenancy__v1__report_device_state_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__report_device_state_response(void) {
  return &tenancy__v1__report_device_state_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__document(void) {
  return &tenancy__v1__document__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__field_transform(void) {
  return &tenancy__v1__field_transform__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__document_put(void) {
  return &tenancy__v1__document_put__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__document_delete(void) {
  return &tenancy__v1__document_delete__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__document_write(void) {
  return &tenancy__v1__document_write__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__document_write_result(void) {
  return &tenancy__v1__document_write_result__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__put_document_request(void) {
  return &tenancy__v1__put_document_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__delete_document_request(void) {
  return &tenancy__v1__delete_document_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__set_document_request(void) {
  return &tenancy__v1__set_document_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__merge_document_request(void) {
  return &tenancy__v1__merge_document_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__remove_document_request(void) {
  return &tenancy__v1__remove_document_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__batch_write_documents_request(void) {
  return &tenancy__v1__batch_write_documents_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__batch_write_documents_response(void) {
  return &tenancy__v1__batch_write_documents_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__get_document_request(void) {
  return &tenancy__v1__get_document_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__document_filter(void) {
  return &tenancy__v1__document_filter__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_documents_request(void) {
  return &tenancy__v1__list_documents_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__browse_documents_request(void) {
  return &tenancy__v1__browse_documents_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_documents_response(void) {
  return &tenancy__v1__list_documents_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__watch_documents_request(void) {
  return &tenancy__v1__watch_documents_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__document_event(void) {
  return &tenancy__v1__document_event__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__get_document_usage_request(void) {
  return &tenancy__v1__get_document_usage_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__collection_usage(void) {
  return &tenancy__v1__collection_usage__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__document_usage(void) {
  return &tenancy__v1__document_usage__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__delete_all_documents_request(void) {
  return &tenancy__v1__delete_all_documents_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__delete_all_documents_response(void) {
  return &tenancy__v1__delete_all_documents_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__entity(void) {
  return &tenancy__v1__entity__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__new_entity(void) {
  return &tenancy__v1__new_entity__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__create_entity_request(void) {
  return &tenancy__v1__create_entity_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__batch_create_entities_request(void) {
  return &tenancy__v1__batch_create_entities_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__batch_create_entities_response(void) {
  return &tenancy__v1__batch_create_entities_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__get_entity_request(void) {
  return &tenancy__v1__get_entity_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__attribute_filter(void) {
  return &tenancy__v1__attribute_filter__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_entities_request(void) {
  return &tenancy__v1__list_entities_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_entities_response(void) {
  return &tenancy__v1__list_entities_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__update_entity_request(void) {
  return &tenancy__v1__update_entity_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__move_entity_request(void) {
  return &tenancy__v1__move_entity_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__delete_entity_request(void) {
  return &tenancy__v1__delete_entity_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__delete_entity_response(void) {
  return &tenancy__v1__delete_entity_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__get_entity_usage_request(void) {
  return &tenancy__v1__get_entity_usage_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__limit_usage(void) {
  return &tenancy__v1__limit_usage__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__entity_usage(void) {
  return &tenancy__v1__entity_usage__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__get_entity_deletion_request(void) {
  return &tenancy__v1__get_entity_deletion_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__entity_deletion(void) {
  return &tenancy__v1__entity_deletion__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_entity_deletions_request(void) {
  return &tenancy__v1__list_entity_deletions_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_all_entity_deletions_request(void) {
  return &tenancy__v1__list_all_entity_deletions_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_entity_deletions_response(void) {
  return &tenancy__v1__list_entity_deletions_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__pairing(void) {
  return &tenancy__v1__pairing__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__create_pairing_code_request(void) {
  return &tenancy__v1__create_pairing_code_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__create_pairing_code_response(void) {
  return &tenancy__v1__create_pairing_code_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__pair_device_request(void) {
  return &tenancy__v1__pair_device_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__pair_device_response(void) {
  return &tenancy__v1__pair_device_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__get_device_context_request(void) {
  return &tenancy__v1__get_device_context_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__mode_access(void) {
  return &tenancy__v1__mode_access__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__device_context(void) {
  return &tenancy__v1__device_context__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_pairings_request(void) {
  return &tenancy__v1__list_pairings_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_pairings_response(void) {
  return &tenancy__v1__list_pairings_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__unpair_request(void) {
  return &tenancy__v1__unpair_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__unpair_response(void) {
  return &tenancy__v1__unpair_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__get_family_overview_request(void) {
  return &tenancy__v1__get_family_overview_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__child_overview(void) {
  return &tenancy__v1__child_overview__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__family_overview(void) {
  return &tenancy__v1__family_overview__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__guest_pass(void) {
  return &tenancy__v1__guest_pass__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__grant_guest_pass_request(void) {
  return &tenancy__v1__grant_guest_pass_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__grant_guest_pass_response(void) {
  return &tenancy__v1__grant_guest_pass_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_guest_passes_request(void) {
  return &tenancy__v1__list_guest_passes_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_guest_passes_response(void) {
  return &tenancy__v1__list_guest_passes_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__update_guest_pass_request(void) {
  return &tenancy__v1__update_guest_pass_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__revoke_guest_pass_request(void) {
  return &tenancy__v1__revoke_guest_pass_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__invitation(void) {
  return &tenancy__v1__invitation__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__create_invitation_request(void) {
  return &tenancy__v1__create_invitation_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__create_invitation_response(void) {
  return &tenancy__v1__create_invitation_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_invitations_request(void) {
  return &tenancy__v1__list_invitations_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_invitations_response(void) {
  return &tenancy__v1__list_invitations_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_received_invitations_request(void) {
  return &tenancy__v1__list_received_invitations_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_received_invitations_response(void) {
  return &tenancy__v1__list_received_invitations_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__accept_invitation_request(void) {
  return &tenancy__v1__accept_invitation_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__decline_invitation_request(void) {
  return &tenancy__v1__decline_invitation_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__update_invitation_request(void) {
  return &tenancy__v1__update_invitation_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__resend_invitation_request(void) {
  return &tenancy__v1__resend_invitation_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__revoke_invitation_request(void) {
  return &tenancy__v1__revoke_invitation_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__legacy_document(void) {
  return &tenancy__v1__legacy_document__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__import_legacy_documents_request(void) {
  return &tenancy__v1__import_legacy_documents_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__import_legacy_documents_response(void) {
  return &tenancy__v1__import_legacy_documents_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__seal_legacy_collections_request(void) {
  return &tenancy__v1__seal_legacy_collections_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__get_legacy_collections_request(void) {
  return &tenancy__v1__get_legacy_collections_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__legacy_collections(void) {
  return &tenancy__v1__legacy_collections__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__migrate_legacy_request(void) {
  return &tenancy__v1__migrate_legacy_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__get_legacy_migration_request(void) {
  return &tenancy__v1__get_legacy_migration_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__legacy_migration(void) {
  return &tenancy__v1__legacy_migration__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__policy_file(void) {
  return &tenancy__v1__policy_file__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__policy_problem(void) {
  return &tenancy__v1__policy_problem__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__policy_pair(void) {
  return &tenancy__v1__policy_pair__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__asserted_decision(void) {
  return &tenancy__v1__asserted_decision__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__check_policy_request(void) {
  return &tenancy__v1__check_policy_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__check_policy_response(void) {
  return &tenancy__v1__check_policy_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__compare_policy_request(void) {
  return &tenancy__v1__compare_policy_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__policy_change(void) {
  return &tenancy__v1__policy_change__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__policy_effect(void) {
  return &tenancy__v1__policy_effect__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__compare_policy_response(void) {
  return &tenancy__v1__compare_policy_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__decide_policy_request(void) {
  return &tenancy__v1__decide_policy_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__decide_policy_response(void) {
  return &tenancy__v1__decide_policy_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__get_policy_in_force_request(void) {
  return &tenancy__v1__get_policy_in_force_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__policy_in_force(void) {
  return &tenancy__v1__policy_in_force__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__portfolio(void) {
  return &tenancy__v1__portfolio__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__create_portfolio_request(void) {
  return &tenancy__v1__create_portfolio_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_portfolios_request(void) {
  return &tenancy__v1__list_portfolios_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_portfolios_response(void) {
  return &tenancy__v1__list_portfolios_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__get_portfolio_request(void) {
  return &tenancy__v1__get_portfolio_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__update_portfolio_request(void) {
  return &tenancy__v1__update_portfolio_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__delete_portfolio_request(void) {
  return &tenancy__v1__delete_portfolio_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__create_portfolio_property_request(void) {
  return &tenancy__v1__create_portfolio_property_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__add_portfolio_admin_request(void) {
  return &tenancy__v1__add_portfolio_admin_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__remove_portfolio_admin_request(void) {
  return &tenancy__v1__remove_portfolio_admin_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__property(void) {
  return &tenancy__v1__property__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__create_property_request(void) {
  return &tenancy__v1__create_property_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_properties_request(void) {
  return &tenancy__v1__list_properties_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_properties_response(void) {
  return &tenancy__v1__list_properties_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__get_property_request(void) {
  return &tenancy__v1__get_property_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__update_property_request(void) {
  return &tenancy__v1__update_property_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__delete_property_request(void) {
  return &tenancy__v1__delete_property_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__create_property_unit_request(void) {
  return &tenancy__v1__create_property_unit_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__add_property_manager_request(void) {
  return &tenancy__v1__add_property_manager_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__remove_property_manager_request(void) {
  return &tenancy__v1__remove_property_manager_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__role_definition(void) {
  return &tenancy__v1__role_definition__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__put_role_definition_request(void) {
  return &tenancy__v1__put_role_definition_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_role_definitions_request(void) {
  return &tenancy__v1__list_role_definitions_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_role_definitions_response(void) {
  return &tenancy__v1__list_role_definitions_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__delete_role_definition_request(void) {
  return &tenancy__v1__delete_role_definition_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__delete_role_definition_response(void) {
  return &tenancy__v1__delete_role_definition_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__new_role(void) {
  return &tenancy__v1__new_role__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__grant_role_request(void) {
  return &tenancy__v1__grant_role_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__batch_grant_roles_request(void) {
  return &tenancy__v1__batch_grant_roles_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__batch_grant_roles_response(void) {
  return &tenancy__v1__batch_grant_roles_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__revoke_role_request(void) {
  return &tenancy__v1__revoke_role_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__leave_role_request(void) {
  return &tenancy__v1__leave_role_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_roles_by_user_request(void) {
  return &tenancy__v1__list_roles_by_user_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_roles_by_entity_request(void) {
  return &tenancy__v1__list_roles_by_entity_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__converted_role(void) {
  return &tenancy__v1__converted_role__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_converted_roles_request(void) {
  return &tenancy__v1__list_converted_roles_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_converted_roles_response(void) {
  return &tenancy__v1__list_converted_roles_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__restore_converted_role_request(void) {
  return &tenancy__v1__restore_converted_role_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__get_schema_request(void) {
  return &tenancy__v1__get_schema_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__schema(void) {
  return &tenancy__v1__schema__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__policy_version(void) {
  return &tenancy__v1__policy_version__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__type_schema(void) {
  return &tenancy__v1__type_schema__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__lifecycle(void) {
  return &tenancy__v1__lifecycle__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__type_action(void) {
  return &tenancy__v1__type_action__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__counted_limit(void) {
  return &tenancy__v1__counted_limit__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__value_schema(void) {
  return &tenancy__v1__value_schema__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__attribute_schema(void) {
  return &tenancy__v1__attribute_schema__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__action_schema(void) {
  return &tenancy__v1__action_schema__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__operation_schema(void) {
  return &tenancy__v1__operation_schema__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__parameter_schema(void) {
  return &tenancy__v1__parameter_schema__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__role_schema(void) {
  return &tenancy__v1__role_schema__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__suspension(void) {
  return &tenancy__v1__suspension__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__suspend_request(void) {
  return &tenancy__v1__suspend_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__resume_request(void) {
  return &tenancy__v1__resume_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__resume_response(void) {
  return &tenancy__v1__resume_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_suspended_request(void) {
  return &tenancy__v1__list_suspended_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_suspended_response(void) {
  return &tenancy__v1__list_suspended_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__unit(void) {
  return &tenancy__v1__unit__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__create_unit_request(void) {
  return &tenancy__v1__create_unit_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_units_request(void) {
  return &tenancy__v1__list_units_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_units_response(void) {
  return &tenancy__v1__list_units_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__get_unit_request(void) {
  return &tenancy__v1__get_unit_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__device_list(void) {
  return &tenancy__v1__device_list__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__update_unit_request(void) {
  return &tenancy__v1__update_unit_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__delete_unit_request(void) {
  return &tenancy__v1__delete_unit_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__add_tenant_request(void) {
  return &tenancy__v1__add_tenant_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__remove_tenant_request(void) {
  return &tenancy__v1__remove_tenant_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_tenants_request(void) {
  return &tenancy__v1__list_tenants_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_tenants_response(void) {
  return &tenancy__v1__list_tenants_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__assign_device_request(void) {
  return &tenancy__v1__assign_device_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__webhook(void) {
  return &tenancy__v1__webhook__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__create_webhook_request(void) {
  return &tenancy__v1__create_webhook_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__create_webhook_response(void) {
  return &tenancy__v1__create_webhook_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__get_webhook_request(void) {
  return &tenancy__v1__get_webhook_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_webhooks_request(void) {
  return &tenancy__v1__list_webhooks_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_webhooks_response(void) {
  return &tenancy__v1__list_webhooks_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__update_webhook_request(void) {
  return &tenancy__v1__update_webhook_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__rotate_webhook_secret_request(void) {
  return &tenancy__v1__rotate_webhook_secret_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__rotate_webhook_secret_response(void) {
  return &tenancy__v1__rotate_webhook_secret_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__pause_webhook_request(void) {
  return &tenancy__v1__pause_webhook_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__resume_webhook_request(void) {
  return &tenancy__v1__resume_webhook_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__delete_webhook_request(void) {
  return &tenancy__v1__delete_webhook_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__delete_webhook_response(void) {
  return &tenancy__v1__delete_webhook_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__ping_webhook_request(void) {
  return &tenancy__v1__ping_webhook_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__ping_webhook_response(void) {
  return &tenancy__v1__ping_webhook_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__webhook_attempt(void) {
  return &tenancy__v1__webhook_attempt__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_webhook_attempts_request(void) {
  return &tenancy__v1__list_webhook_attempts_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_webhook_attempts_response(void) {
  return &tenancy__v1__list_webhook_attempts_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__replay_webhook_request(void) {
  return &tenancy__v1__replay_webhook_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__replay_webhook_response(void) {
  return &tenancy__v1__replay_webhook_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__listen_webhook_request(void) {
  return &tenancy__v1__listen_webhook_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__listened_event(void) {
  return &tenancy__v1__listened_event__descriptor;
}

#endif
