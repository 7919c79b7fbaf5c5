// Written by scripts/generate. Do not edit.
#ifndef CPROTOBUFC_GENERATED_H
#define CPROTOBUFC_GENERATED_H

#include "auth/v1/accounts.pb-c.h"
#include "auth/v1/authentication.pb-c.h"
#include "auth/v1/deletions.pb-c.h"
#include "auth/v1/exports.pb-c.h"
#include "auth/v1/identities.pb-c.h"
#include "auth/v1/imports.pb-c.h"
#include "auth/v1/introspection.pb-c.h"
#include "auth/v1/keys.pb-c.h"
#include "auth/v1/operators.pb-c.h"
#include "auth/v1/passkeys.pb-c.h"
#include "auth/v1/second_factors.pb-c.h"
#include "auth/v1/sessions.pb-c.h"
#include "auth/v1/step_up.pb-c.h"
#include "auth/v1/users.pb-c.h"
#include "benchmark/v1/permission.pb-c.h"
#include "entitlement/v1/audit.pb-c.h"
#include "entitlement/v1/entitlements.pb-c.h"
#include "entitlement/v1/erasure.pb-c.h"
#include "entitlement/v1/exports.pb-c.h"
#include "entitlement/v1/feature_flags.pb-c.h"
#include "entitlement/v1/points.pb-c.h"
#include "entitlement/v1/purchases.pb-c.h"
#include "entitlement/v1/subscriptions.pb-c.h"
#include "envoy/config/core/v3/base.pb-c.h"
#include "envoy/service/auth/v3/external_auth.pb-c.h"
#include "envoy/type/v3/http_status.pb-c.h"
#include "gatehouse/options.pb-c.h"
#include "google/api/annotations.pb-c.h"
#include "google/api/http.pb-c.h"
#include "google/protobuf/any.pb-c.h"
#include "google/protobuf/compiler/plugin.pb-c.h"
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
#include "grpc/testing/test.pb-c.h"
#include "rpc/v1/settings.pb-c.h"
#include "tenancy/v1/association.pb-c.h"
#include "tenancy/v1/audit.pb-c.h"
#include "tenancy/v1/authzen.pb-c.h"
#include "tenancy/v1/changes.pb-c.h"
#include "tenancy/v1/devices.pb-c.h"
#include "tenancy/v1/documents.pb-c.h"
#include "tenancy/v1/entities.pb-c.h"
#include "tenancy/v1/erasure.pb-c.h"
#include "tenancy/v1/exports.pb-c.h"
#include "tenancy/v1/families.pb-c.h"
#include "tenancy/v1/guests.pb-c.h"
#include "tenancy/v1/invitations.pb-c.h"
#include "tenancy/v1/legacy.pb-c.h"
#include "tenancy/v1/permissions.pb-c.h"
#include "tenancy/v1/portfolios.pb-c.h"
#include "tenancy/v1/properties.pb-c.h"
#include "tenancy/v1/reports.pb-c.h"
#include "tenancy/v1/role_definitions.pb-c.h"
#include "tenancy/v1/roles.pb-c.h"
#include "tenancy/v1/subjects.pb-c.h"
#include "tenancy/v1/units.pb-c.h"
#include "testing/v1/library.pb-c.h"
#include "testing/v1/rich.pb-c.h"

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
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__deletion(void) {
  return &auth__v1__deletion__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__delete_account_request(void) {
  return &auth__v1__delete_account_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__get_deletion_request(void) {
  return &auth__v1__get_deletion_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__cancel_deletion_request(void) {
  return &auth__v1__cancel_deletion_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__cancel_deletion_response(void) {
  return &auth__v1__cancel_deletion_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__export_account_request(void) {
  return &auth__v1__export_account_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__export_piece(void) {
  return &auth__v1__export_piece__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__provider_challenge(void) {
  return &auth__v1__provider_challenge__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__start_apple_sign_in_request(void) {
  return &auth__v1__start_apple_sign_in_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__start_provider_sign_in_request(void) {
  return &auth__v1__start_provider_sign_in_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__new_user_profile(void) {
  return &auth__v1__new_user_profile__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__sign_in_with_apple_request(void) {
  return &auth__v1__sign_in_with_apple_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__provider_sign_in_request(void) {
  return &auth__v1__provider_sign_in_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__linked_identity(void) {
  return &auth__v1__linked_identity__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__link_identity_request(void) {
  return &auth__v1__link_identity_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__unlink_identity_request(void) {
  return &auth__v1__unlink_identity_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__unlink_identity_response(void) {
  return &auth__v1__unlink_identity_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_identities_request(void) {
  return &auth__v1__list_identities_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_identities_response(void) {
  return &auth__v1__list_identities_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__notify_apple_request(void) {
  return &auth__v1__notify_apple_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__notify_apple_response(void) {
  return &auth__v1__notify_apple_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__import_row(void) {
  return &auth__v1__import_row__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__import_users_request(void) {
  return &auth__v1__import_users_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__import_result(void) {
  return &auth__v1__import_result__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__import_users_response(void) {
  return &auth__v1__import_users_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__get_import_request(void) {
  return &auth__v1__get_import_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__import_progress(void) {
  return &auth__v1__import_progress__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__introspect_token_request(void) {
  return &auth__v1__introspect_token_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__introspect_token_response(void) {
  return &auth__v1__introspect_token_response__descriptor;
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
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__account(void) {
  return &auth__v1__account__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_users_request(void) {
  return &auth__v1__list_users_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_users_response(void) {
  return &auth__v1__list_users_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__end_sessions_request(void) {
  return &auth__v1__end_sessions_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__get_user_request(void) {
  return &auth__v1__get_user_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__disable_user_request(void) {
  return &auth__v1__disable_user_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__enable_user_request(void) {
  return &auth__v1__enable_user_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__force_password_reset_request(void) {
  return &auth__v1__force_password_reset_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_user_sessions_request(void) {
  return &auth__v1__list_user_sessions_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_user_audit_request(void) {
  return &auth__v1__list_user_audit_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__audit_entry(void) {
  return &auth__v1__audit_entry__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_user_audit_response(void) {
  return &auth__v1__list_user_audit_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__search_audit_request(void) {
  return &auth__v1__search_audit_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__search_audit_response(void) {
  return &auth__v1__search_audit_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__get_user_factors_request(void) {
  return &auth__v1__get_user_factors_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__user_factors(void) {
  return &auth__v1__user_factors__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__account_change(void) {
  return &auth__v1__account_change__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__request_account_change_request(void) {
  return &auth__v1__request_account_change_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__approve_account_change_request(void) {
  return &auth__v1__approve_account_change_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__cancel_account_change_request(void) {
  return &auth__v1__cancel_account_change_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_account_changes_request(void) {
  return &auth__v1__list_account_changes_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_account_changes_response(void) {
  return &auth__v1__list_account_changes_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__mail(void) {
  return &auth__v1__mail__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_mails_request(void) {
  return &auth__v1__list_mails_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_mails_response(void) {
  return &auth__v1__list_mails_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__passkey(void) {
  return &auth__v1__passkey__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__passkey_ceremony(void) {
  return &auth__v1__passkey_ceremony__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__start_passkey_registration_request(void) {
  return &auth__v1__start_passkey_registration_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__finish_passkey_registration_request(void) {
  return &auth__v1__finish_passkey_registration_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__finish_passkey_registration_response(void) {
  return &auth__v1__finish_passkey_registration_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__start_passkey_sign_in_request(void) {
  return &auth__v1__start_passkey_sign_in_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__finish_passkey_sign_in_request(void) {
  return &auth__v1__finish_passkey_sign_in_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__start_passkey_step_up_request(void) {
  return &auth__v1__start_passkey_step_up_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__finish_passkey_step_up_request(void) {
  return &auth__v1__finish_passkey_step_up_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_passkeys_request(void) {
  return &auth__v1__list_passkeys_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_passkeys_response(void) {
  return &auth__v1__list_passkeys_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__rename_passkey_request(void) {
  return &auth__v1__rename_passkey_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__rename_passkey_response(void) {
  return &auth__v1__rename_passkey_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__remove_passkey_request(void) {
  return &auth__v1__remove_passkey_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__remove_passkey_response(void) {
  return &auth__v1__remove_passkey_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__get_second_factors_request(void) {
  return &auth__v1__get_second_factors_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__second_factor_state(void) {
  return &auth__v1__second_factor_state__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__enroll_totp_request(void) {
  return &auth__v1__enroll_totp_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__enroll_totp_response(void) {
  return &auth__v1__enroll_totp_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__confirm_totp_request(void) {
  return &auth__v1__confirm_totp_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__confirm_totp_response(void) {
  return &auth__v1__confirm_totp_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__remove_totp_request(void) {
  return &auth__v1__remove_totp_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__remove_totp_response(void) {
  return &auth__v1__remove_totp_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__regenerate_recovery_codes_request(void) {
  return &auth__v1__regenerate_recovery_codes_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__regenerate_recovery_codes_response(void) {
  return &auth__v1__regenerate_recovery_codes_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__verify_second_factor_request(void) {
  return &auth__v1__verify_second_factor_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__verify_second_factor_response(void) {
  return &auth__v1__verify_second_factor_response__descriptor;
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
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__get_pin_request(void) {
  return &auth__v1__get_pin_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__pin_state(void) {
  return &auth__v1__pin_state__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__set_pin_request(void) {
  return &auth__v1__set_pin_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__set_pin_response(void) {
  return &auth__v1__set_pin_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__verify_pin_request(void) {
  return &auth__v1__verify_pin_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__verify_pin_response(void) {
  return &auth__v1__verify_pin_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__clear_pin_request(void) {
  return &auth__v1__clear_pin_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__clear_pin_response(void) {
  return &auth__v1__clear_pin_response__descriptor;
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
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__find_user_by_email_request(void) {
  return &auth__v1__find_user_by_email_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__get_user_address_request(void) {
  return &auth__v1__get_user_address_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__user_address(void) {
  return &auth__v1__user_address__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_benchmark__v1__check_request(void) {
  return &benchmark__v1__check_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_benchmark__v1__check_response(void) {
  return &benchmark__v1__check_response__descriptor;
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
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__flag_context(void) {
  return &entitlement__v1__flag_context__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__evaluate_flag_request(void) {
  return &entitlement__v1__evaluate_flag_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__flag_metadata(void) {
  return &entitlement__v1__flag_metadata__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__flag(void) {
  return &entitlement__v1__flag__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__evaluate_flags_request(void) {
  return &entitlement__v1__evaluate_flags_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__flags_metadata(void) {
  return &entitlement__v1__flags_metadata__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__evaluate_flags_response(void) {
  return &entitlement__v1__evaluate_flags_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__points_rule(void) {
  return &entitlement__v1__points_rule__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__set_points_rule_request(void) {
  return &entitlement__v1__set_points_rule_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__list_points_rules_request(void) {
  return &entitlement__v1__list_points_rules_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__list_points_rules_response(void) {
  return &entitlement__v1__list_points_rules_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__points_entry(void) {
  return &entitlement__v1__points_entry__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__active_reward(void) {
  return &entitlement__v1__active_reward__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__points_transaction(void) {
  return &entitlement__v1__points_transaction__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__earn_points_request(void) {
  return &entitlement__v1__earn_points_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__points_part(void) {
  return &entitlement__v1__points_part__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__redeem_points_request(void) {
  return &entitlement__v1__redeem_points_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__reverse_points_request(void) {
  return &entitlement__v1__reverse_points_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__get_points_balances_request(void) {
  return &entitlement__v1__get_points_balances_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__points_balance(void) {
  return &entitlement__v1__points_balance__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__get_points_balances_response(void) {
  return &entitlement__v1__get_points_balances_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__list_points_history_request(void) {
  return &entitlement__v1__list_points_history_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__list_points_history_response(void) {
  return &entitlement__v1__list_points_history_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__get_active_rewards_request(void) {
  return &entitlement__v1__get_active_rewards_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__get_active_rewards_response(void) {
  return &entitlement__v1__get_active_rewards_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__purchase_offer(void) {
  return &entitlement__v1__purchase_offer__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__renewal(void) {
  return &entitlement__v1__renewal__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__purchase(void) {
  return &entitlement__v1__purchase__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__submit_transaction_request(void) {
  return &entitlement__v1__submit_transaction_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__submit_transaction_response(void) {
  return &entitlement__v1__submit_transaction_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__restore_request(void) {
  return &entitlement__v1__restore_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__restored_transaction(void) {
  return &entitlement__v1__restored_transaction__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__restore_response(void) {
  return &entitlement__v1__restore_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__validate_receipt_request(void) {
  return &entitlement__v1__validate_receipt_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__validate_receipt_response(void) {
  return &entitlement__v1__validate_receipt_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__handle_notification_request(void) {
  return &entitlement__v1__handle_notification_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__handle_notification_response(void) {
  return &entitlement__v1__handle_notification_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__list_purchases_request(void) {
  return &entitlement__v1__list_purchases_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__list_purchases_response(void) {
  return &entitlement__v1__list_purchases_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__feature_value(void) {
  return &entitlement__v1__feature_value__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__tier(void) {
  return &entitlement__v1__tier__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__addon(void) {
  return &entitlement__v1__addon__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__promotion(void) {
  return &entitlement__v1__promotion__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__list_tiers_request(void) {
  return &entitlement__v1__list_tiers_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__list_tiers_response(void) {
  return &entitlement__v1__list_tiers_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__override(void) {
  return &entitlement__v1__override__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__subscribed_addon(void) {
  return &entitlement__v1__subscribed_addon__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__subscription(void) {
  return &entitlement__v1__subscription__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__get_subscription_request(void) {
  return &entitlement__v1__get_subscription_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__put_subscription_request(void) {
  return &entitlement__v1__put_subscription_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__delete_subscription_request(void) {
  return &entitlement__v1__delete_subscription_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__delete_subscription_response(void) {
  return &entitlement__v1__delete_subscription_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__redeem_request(void) {
  return &entitlement__v1__redeem_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__redeem_response(void) {
  return &entitlement__v1__redeem_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__scheduled_change(void) {
  return &entitlement__v1__scheduled_change__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__schedule_change_request(void) {
  return &entitlement__v1__schedule_change_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__schedule_change_response(void) {
  return &entitlement__v1__schedule_change_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__list_scheduled_changes_request(void) {
  return &entitlement__v1__list_scheduled_changes_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__list_scheduled_changes_response(void) {
  return &entitlement__v1__list_scheduled_changes_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__cancel_scheduled_change_request(void) {
  return &entitlement__v1__cancel_scheduled_change_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__cancel_scheduled_change_response(void) {
  return &entitlement__v1__cancel_scheduled_change_response__descriptor;
}
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
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_gatehouse__method_rules(void) {
  return &gatehouse__method_rules__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_gatehouse__field_rules(void) {
  return &gatehouse__field_rules__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_gatehouse__rest_rules(void) {
  return &gatehouse__rest_rules__descriptor;
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
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__compiler__version(void) {
  return &google__protobuf__compiler__version__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__compiler__code_generator_request(void) {
  return &google__protobuf__compiler__code_generator_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__compiler__code_generator_response(void) {
  return &google__protobuf__compiler__code_generator_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_google__protobuf__compiler__code_generator_response__file(void) {
  return &google__protobuf__compiler__code_generator_response__file__descriptor;
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
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__audit_entry(void) {
  return &tenancy__v1__audit_entry__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__search_audit_request(void) {
  return &tenancy__v1__search_audit_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__search_audit_response(void) {
  return &tenancy__v1__search_audit_response__descriptor;
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
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__type_count(void) {
  return &tenancy__v1__type_count__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__delete_response(void) {
  return &tenancy__v1__delete_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__remove_role_response(void) {
  return &tenancy__v1__remove_role_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__device(void) {
  return &tenancy__v1__device__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__register_device_request(void) {
  return &tenancy__v1__register_device_request__descriptor;
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
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__get_entity_deletion_request(void) {
  return &tenancy__v1__get_entity_deletion_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__entity_deletion(void) {
  return &tenancy__v1__entity_deletion__descriptor;
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
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__property_address(void) {
  return &tenancy__v1__property_address__descriptor;
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
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__read_report_request(void) {
  return &tenancy__v1__read_report_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__report_seal(void) {
  return &tenancy__v1__report_seal__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__report_part(void) {
  return &tenancy__v1__report_part__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__get_report_keys_request(void) {
  return &tenancy__v1__get_report_keys_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_tenancy__v1__report_keys(void) {
  return &tenancy__v1__report_keys__descriptor;
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
