// Written by scripts/generate. Do not edit.
#ifndef CENTITLEMENTCONTRACTS_H
#define CENTITLEMENTCONTRACTS_H

#include <CPeerContracts.h>

#include "entitlement/v1/audit.pb-c.h"
#include "entitlement/v1/feature_flags.pb-c.h"
#include "entitlement/v1/points.pb-c.h"
#include "entitlement/v1/purchases.pb-c.h"
#include "entitlement/v1/subscriptions.pb-c.h"

static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__list_entitlement_access_request(void) {
  return &entitlement__v1__list_entitlement_access_request__descriptor;
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
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__list_points_requests_request(void) {
  return &entitlement__v1__list_points_requests_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__list_points_requests_response(void) {
  return &entitlement__v1__list_points_requests_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__approve_points_request(void) {
  return &entitlement__v1__approve_points_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__decline_points_request(void) {
  return &entitlement__v1__decline_points_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__cancel_points_request(void) {
  return &entitlement__v1__cancel_points_request__descriptor;
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
static inline const ProtobufCMessageDescriptor *rpckit_descriptor_entitlement__v1__move_purchase_request(void) {
  return &entitlement__v1__move_purchase_request__descriptor;
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

#endif
