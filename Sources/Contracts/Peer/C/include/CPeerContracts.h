// Written by scripts/generate. Do not edit.
#ifndef CPEERCONTRACTS_H
#define CPEERCONTRACTS_H

#include <CProtobufC.h>

#include "audit/v1/audit.pb-c.h"
#include "auth/v1/accounts.pb-c.h"
#include "auth/v1/authentication.pb-c.h"
#include "auth/v1/family_ends.pb-c.h"
#include "auth/v1/keys.pb-c.h"
#include "auth/v1/sessions.pb-c.h"
#include "auth/v1/user_changes.pb-c.h"
#include "auth/v1/users.pb-c.h"
#include "entitlement/v1/entitlements.pb-c.h"
#include "entitlement/v1/erasure.pb-c.h"
#include "entitlement/v1/exports.pb-c.h"
#include "entitlement/v1/points_summaries.pb-c.h"
#include "event/v1/events.pb-c.h"
#include "tenancy/v1/association.pb-c.h"
#include "tenancy/v1/changes.pb-c.h"
#include "tenancy/v1/child_devices.pb-c.h"
#include "tenancy/v1/erasure.pb-c.h"
#include "tenancy/v1/exports.pb-c.h"
#include "tenancy/v1/people.pb-c.h"
#include "tenancy/v1/permissions.pb-c.h"
#include "tenancy/v1/reports.pb-c.h"

static inline const ProtobufCMessageDescriptor *rpckit_descriptor_audit__v1__audit_entry(void) {
  return &audit__v1__audit_entry__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_audit__v1__operator_access(void) {
  return &audit__v1__operator_access__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_audit__v1__list_access_response(void) {
  return &audit__v1__list_access_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_audit__v1__search_audit_request(void) {
  return &audit__v1__search_audit_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_audit__v1__search_audit_response(void) {
  return &audit__v1__search_audit_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__request_email_verification_request(void) {
  return &auth__v1__request_email_verification_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__request_email_verification_response(void) {
  return &auth__v1__request_email_verification_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__verify_email_request(void) {
  return &auth__v1__verify_email_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__verify_email_response(void) {
  return &auth__v1__verify_email_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__disown_email_request(void) {
  return &auth__v1__disown_email_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__disown_email_response(void) {
  return &auth__v1__disown_email_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__request_password_reset_request(void) {
  return &auth__v1__request_password_reset_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__request_password_reset_response(void) {
  return &auth__v1__request_password_reset_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__reset_password_request(void) {
  return &auth__v1__reset_password_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__reset_password_response(void) {
  return &auth__v1__reset_password_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__change_email_request(void) {
  return &auth__v1__change_email_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__change_email_response(void) {
  return &auth__v1__change_email_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__confirm_email_change_request(void) {
  return &auth__v1__confirm_email_change_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__confirm_email_change_response(void) {
  return &auth__v1__confirm_email_change_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__undo_email_change_request(void) {
  return &auth__v1__undo_email_change_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__undo_email_change_response(void) {
  return &auth__v1__undo_email_change_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__refuse_account_change_request(void) {
  return &auth__v1__refuse_account_change_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__refuse_account_change_response(void) {
  return &auth__v1__refuse_account_change_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__send_invitation_request(void) {
  return &auth__v1__send_invitation_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__send_invitation_response(void) {
  return &auth__v1__send_invitation_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__send_notice_request(void) {
  return &auth__v1__send_notice_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__send_notice_response(void) {
  return &auth__v1__send_notice_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__device(void) {
  return &auth__v1__device__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__sign_up_request(void) {
  return &auth__v1__sign_up_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__sign_in_request(void) {
  return &auth__v1__sign_in_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__tokens(void) {
  return &auth__v1__tokens__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__access_token(void) {
  return &auth__v1__access_token__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__second_factor_needed(void) {
  return &auth__v1__second_factor_needed__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__complete_sign_in_request(void) {
  return &auth__v1__complete_sign_in_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__sign_in_response(void) {
  return &auth__v1__sign_in_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__refresh_request(void) {
  return &auth__v1__refresh_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__sign_out_request(void) {
  return &auth__v1__sign_out_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__sign_out_response(void) {
  return &auth__v1__sign_out_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__end_of_family_request(void) {
  return &auth__v1__end_of_family_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__end_of_family_response(void) {
  return &auth__v1__end_of_family_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__get_key_set_request(void) {
  return &auth__v1__get_key_set_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__key(void) {
  return &auth__v1__key__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__key_set(void) {
  return &auth__v1__key_set__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__watch_revocations_request(void) {
  return &auth__v1__watch_revocations_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__revocation(void) {
  return &auth__v1__revocation__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__session(void) {
  return &auth__v1__session__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_sessions_request(void) {
  return &auth__v1__list_sessions_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_sessions_response(void) {
  return &auth__v1__list_sessions_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__revoke_session_request(void) {
  return &auth__v1__revoke_session_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__revoke_other_sessions_request(void) {
  return &auth__v1__revoke_other_sessions_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__revoke_all_sessions_request(void) {
  return &auth__v1__revoke_all_sessions_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__revoke_sessions_response(void) {
  return &auth__v1__revoke_sessions_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__introspect_session_request(void) {
  return &auth__v1__introspect_session_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__introspect_session_response(void) {
  return &auth__v1__introspect_session_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__watch_user_changes_request(void) {
  return &auth__v1__watch_user_changes_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__user_change(void) {
  return &auth__v1__user_change__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__user(void) {
  return &auth__v1__user__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__activity(void) {
  return &auth__v1__activity__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__get_me_request(void) {
  return &auth__v1__get_me_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__update_profile_request(void) {
  return &auth__v1__update_profile_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__update_settings_request(void) {
  return &auth__v1__update_settings_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__user_settings(void) {
  return &auth__v1__user_settings__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__record_activity_request(void) {
  return &auth__v1__record_activity_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__set_defaults_request(void) {
  return &auth__v1__set_defaults_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__change_password_request(void) {
  return &auth__v1__change_password_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__change_password_response(void) {
  return &auth__v1__change_password_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__batch_get_users_request(void) {
  return &auth__v1__batch_get_users_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__batch_get_users_response(void) {
  return &auth__v1__batch_get_users_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__lookup_users_request(void) {
  return &auth__v1__lookup_users_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__lookup_users_response(void) {
  return &auth__v1__lookup_users_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__lookup_user_request(void) {
  return &auth__v1__lookup_user_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__find_user_by_email_request(void) {
  return &auth__v1__find_user_by_email_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__get_user_address_request(void) {
  return &auth__v1__get_user_address_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__user_address(void) {
  return &auth__v1__user_address__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_access_request(void) {
  return &auth__v1__list_access_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__subject(void) {
  return &entitlement__v1__subject__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__unlocked_by(void) {
  return &entitlement__v1__unlocked_by__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__limit(void) {
  return &entitlement__v1__limit__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__entitlement(void) {
  return &entitlement__v1__entitlement__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__active_promotion(void) {
  return &entitlement__v1__active_promotion__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__get_entitlements_request(void) {
  return &entitlement__v1__get_entitlements_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__get_entitlements_response(void) {
  return &entitlement__v1__get_entitlements_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__get_entitlements_response__module_flags_entry(void) {
  return &entitlement__v1__get_entitlements_response__module_flags_entry__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__plan(void) {
  return &entitlement__v1__plan__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__get_plans_request(void) {
  return &entitlement__v1__get_plans_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__get_plans_response(void) {
  return &entitlement__v1__get_plans_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__check_feature_request(void) {
  return &entitlement__v1__check_feature_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__check_limit_request(void) {
  return &entitlement__v1__check_limit_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__check_response(void) {
  return &entitlement__v1__check_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__entitlement_check(void) {
  return &entitlement__v1__entitlement_check__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__batch_check_request(void) {
  return &entitlement__v1__batch_check_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__batch_check_response(void) {
  return &entitlement__v1__batch_check_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__consume_request(void) {
  return &entitlement__v1__consume_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__consume_response(void) {
  return &entitlement__v1__consume_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__watch_request(void) {
  return &entitlement__v1__watch_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__change(void) {
  return &entitlement__v1__change__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__entitlement_change(void) {
  return &entitlement__v1__entitlement_change__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__list_entitlement_changes_request(void) {
  return &entitlement__v1__list_entitlement_changes_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__list_entitlement_changes_response(void) {
  return &entitlement__v1__list_entitlement_changes_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__erase_user_request(void) {
  return &entitlement__v1__erase_user_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__erase_user_response(void) {
  return &entitlement__v1__erase_user_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__end_holder_request(void) {
  return &entitlement__v1__end_holder_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__end_holder_response(void) {
  return &entitlement__v1__end_holder_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__export_user_request(void) {
  return &entitlement__v1__export_user_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__export_part(void) {
  return &entitlement__v1__export_part__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__points_balance(void) {
  return &entitlement__v1__points_balance__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__active_reward(void) {
  return &entitlement__v1__active_reward__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__points_request_part(void) {
  return &entitlement__v1__points_request_part__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__points_request(void) {
  return &entitlement__v1__points_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__points_summary(void) {
  return &entitlement__v1__points_summary__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__get_points_summaries_request(void) {
  return &entitlement__v1__get_points_summaries_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__get_points_summaries_response(void) {
  return &entitlement__v1__get_points_summaries_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_event__v1__event(void) {
  return &event__v1__event__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_event__v1__list_events_request(void) {
  return &event__v1__list_events_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_event__v1__list_events_response(void) {
  return &event__v1__list_events_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__recurring_window(void) {
  return &tenancy__v1__recurring_window__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__role_association(void) {
  return &tenancy__v1__role_association__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__user_summary(void) {
  return &tenancy__v1__user_summary__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_by_user_request(void) {
  return &tenancy__v1__list_by_user_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_by_entity_request(void) {
  return &tenancy__v1__list_by_entity_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_associations_response(void) {
  return &tenancy__v1__list_associations_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__grant_super_admin_request(void) {
  return &tenancy__v1__grant_super_admin_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__revoke_super_admin_request(void) {
  return &tenancy__v1__revoke_super_admin_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__grant_support_request(void) {
  return &tenancy__v1__grant_support_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__revoke_support_request(void) {
  return &tenancy__v1__revoke_support_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__type_count(void) {
  return &tenancy__v1__type_count__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__delete_response(void) {
  return &tenancy__v1__delete_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__remove_role_response(void) {
  return &tenancy__v1__remove_role_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__pair_child_device_request(void) {
  return &tenancy__v1__pair_child_device_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__pair_child_device_response(void) {
  return &tenancy__v1__pair_child_device_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__unpair_child_device_request(void) {
  return &tenancy__v1__unpair_child_device_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__unpair_child_device_response(void) {
  return &tenancy__v1__unpair_child_device_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__sole_holding(void) {
  return &tenancy__v1__sole_holding__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_sole_holdings_request(void) {
  return &tenancy__v1__list_sole_holdings_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_sole_holdings_response(void) {
  return &tenancy__v1__list_sole_holdings_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__erase_user_request(void) {
  return &tenancy__v1__erase_user_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__erase_user_response(void) {
  return &tenancy__v1__erase_user_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__set_account_state_request(void) {
  return &tenancy__v1__set_account_state_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__set_account_state_response(void) {
  return &tenancy__v1__set_account_state_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__export_user_request(void) {
  return &tenancy__v1__export_user_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__export_part(void) {
  return &tenancy__v1__export_part__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__lookup_people_request(void) {
  return &tenancy__v1__lookup_people_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__lookup_people_response(void) {
  return &tenancy__v1__lookup_people_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__check_request(void) {
  return &tenancy__v1__check_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__decision(void) {
  return &tenancy__v1__decision__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__decision_details(void) {
  return &tenancy__v1__decision_details__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__batch_check_request(void) {
  return &tenancy__v1__batch_check_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__batch_check_response(void) {
  return &tenancy__v1__batch_check_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_actions_request(void) {
  return &tenancy__v1__list_actions_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__entity_actions(void) {
  return &tenancy__v1__entity_actions__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_actions_response(void) {
  return &tenancy__v1__list_actions_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_accessible_request(void) {
  return &tenancy__v1__list_accessible_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_accessible_response(void) {
  return &tenancy__v1__list_accessible_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_subjects_request(void) {
  return &tenancy__v1__list_subjects_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__allowed_subject(void) {
  return &tenancy__v1__allowed_subject__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__list_subjects_response(void) {
  return &tenancy__v1__list_subjects_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__explain_request(void) {
  return &tenancy__v1__explain_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__examined_role(void) {
  return &tenancy__v1__examined_role__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__examined_place(void) {
  return &tenancy__v1__examined_place__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__examined_deny(void) {
  return &tenancy__v1__examined_deny__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__examined_condition(void) {
  return &tenancy__v1__examined_condition__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__attribute_condition(void) {
  return &tenancy__v1__attribute_condition__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__daily_condition(void) {
  return &tenancy__v1__daily_condition__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__explanation(void) {
  return &tenancy__v1__explanation__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__fetch_permissions_request(void) {
  return &tenancy__v1__fetch_permissions_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__permission_set(void) {
  return &tenancy__v1__permission_set__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__entity_permissions(void) {
  return &tenancy__v1__entity_permissions__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__fetch_permissions_response(void) {
  return &tenancy__v1__fetch_permissions_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__watch_changes_request(void) {
  return &tenancy__v1__watch_changes_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__change(void) {
  return &tenancy__v1__change__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__read_report_request(void) {
  return &tenancy__v1__read_report_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__report_seal(void) {
  return &tenancy__v1__report_seal__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__report_names(void) {
  return &tenancy__v1__report_names__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__report_part(void) {
  return &tenancy__v1__report_part__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__download_report_request(void) {
  return &tenancy__v1__download_report_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__report_download(void) {
  return &tenancy__v1__report_download__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__get_report_keys_request(void) {
  return &tenancy__v1__get_report_keys_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__report_keys(void) {
  return &tenancy__v1__report_keys__descriptor;
}

#endif
