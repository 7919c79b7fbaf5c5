// Written by scripts/generate. Do not edit.
#ifndef CAUTHCONTRACTS_H
#define CAUTHCONTRACTS_H

#include <CPeerContracts.h>

#include "auth/v1/children.pb-c.h"
#include "auth/v1/console.pb-c.h"
#include "auth/v1/deletions.pb-c.h"
#include "auth/v1/exports.pb-c.h"
#include "auth/v1/identities.pb-c.h"
#include "auth/v1/imports.pb-c.h"
#include "auth/v1/introspection.pb-c.h"
#include "auth/v1/operators.pb-c.h"
#include "auth/v1/passkeys.pb-c.h"
#include "auth/v1/second_factors.pb-c.h"
#include "auth/v1/step_up.pb-c.h"

static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__begin_child_session_request(void) {
  return &auth__v1__begin_child_session_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__begin_child_session_response(void) {
  return &auth__v1__begin_child_session_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__end_child_session_request(void) {
  return &auth__v1__end_child_session_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__end_child_session_response(void) {
  return &auth__v1__end_child_session_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__get_child_account_request(void) {
  return &auth__v1__get_child_account_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__child_device(void) {
  return &auth__v1__child_device__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__child_account(void) {
  return &auth__v1__child_account__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__export_child_account_request(void) {
  return &auth__v1__export_child_account_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__delete_child_account_request(void) {
  return &auth__v1__delete_child_account_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__cancel_child_deletion_request(void) {
  return &auth__v1__cancel_child_deletion_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__hand_over_child_account_request(void) {
  return &auth__v1__hand_over_child_account_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__hand_over_child_account_response(void) {
  return &auth__v1__hand_over_child_account_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__take_over_account_request(void) {
  return &auth__v1__take_over_account_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__take_over_account_response(void) {
  return &auth__v1__take_over_account_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__begin_console_session_request(void) {
  return &auth__v1__begin_console_session_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__resume_console_session_request(void) {
  return &auth__v1__resume_console_session_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__console_session(void) {
  return &auth__v1__console_session__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__end_console_session_request(void) {
  return &auth__v1__end_console_session_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__end_console_session_response(void) {
  return &auth__v1__end_console_session_response__descriptor;
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
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_deletions_request(void) {
  return &auth__v1__list_deletions_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__account_deletion(void) {
  return &auth__v1__account_deletion__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_deletions_response(void) {
  return &auth__v1__list_deletions_response__descriptor;
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
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__browser_provider(void) {
  return &auth__v1__browser_provider__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_providers_request(void) {
  return &auth__v1__list_providers_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_providers_response(void) {
  return &auth__v1__list_providers_response__descriptor;
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
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_imports_request(void) {
  return &auth__v1__list_imports_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__import_run(void) {
  return &auth__v1__import_run__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_imports_response(void) {
  return &auth__v1__list_imports_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__introspect_token_request(void) {
  return &auth__v1__introspect_token_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__introspect_token_response(void) {
  return &auth__v1__introspect_token_response__descriptor;
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
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__list_user_audit_response(void) {
  return &auth__v1__list_user_audit_response__descriptor;
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
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__get_family_pin_request(void) {
  return &auth__v1__get_family_pin_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__family_pin_state(void) {
  return &auth__v1__family_pin_state__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__set_family_pin_request(void) {
  return &auth__v1__set_family_pin_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__set_family_pin_response(void) {
  return &auth__v1__set_family_pin_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__verify_family_pin_request(void) {
  return &auth__v1__verify_family_pin_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__verify_family_pin_response(void) {
  return &auth__v1__verify_family_pin_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__clear_family_pin_request(void) {
  return &auth__v1__clear_family_pin_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_auth__v1__clear_family_pin_response(void) {
  return &auth__v1__clear_family_pin_response__descriptor;
}

#endif
