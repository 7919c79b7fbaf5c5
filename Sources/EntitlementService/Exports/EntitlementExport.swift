internal import ServiceKit

/// The export plan of EntitlementService: the data of a user that it exports, and the data it keeps and leaves
/// out.
///
/// docs/guides/export.md has the same for users; schemas/account-export.schema.json describes the records.
enum EntitlementExport {
  static let plan = ExportPlan(
    [subscriptions, addons, overrides, scheduledChanges, redemptions, changes, usage, purchases]
      + [points, pointsRequests],
    withheld: withheld
  )

  private static let isUser = "kind = 'user' AND id = ?1"

  private static let subscriptions = ExportSection(
    "subscriptions",
    of: "subscription",
    where: isUser,
    by: [.text("id")],
    [
      .text("tier"), .boolean("is_trial"), .instant("valid_from"), .instant("paid_until"),
      .instant("grace_until"), .instant("complimentary_until"),
    ]
  )

  private static let addons = ExportSection(
    "addons",
    of: "subscription_addon",
    where: isUser,
    by: [.text("name")],
    [.text("name"), .instant("valid_until")]
  )

  private static let overrides = ExportSection(
    "overrides",
    of: "subscription_override",
    where: isUser,
    by: [.integer("place")],
    [
      .text("feature"), .text("value_kind"), .integer("value"), .instant("valid_until"),
      .text("reason"),
    ]
  )

  private static let scheduledChanges = ExportSection(
    "scheduled_changes",
    of: "scheduled_change",
    where: "kind = 'user' AND subject_id = ?1",
    by: [.text("id")],
    [.text("id"), .instant("effective_at"), .text("tier"), .instant("paid_until")]
  )

  private static let redemptions = ExportSection(
    "redemptions",
    of: "redemption",
    where: isUser,
    by: [.text("promotion")],
    [
      .text("promotion"), .text("trial_group"), .instant("redeemed_at"), .instant("ends_at"),
    ]
  )

  private static let changes = ExportSection(
    "changes",
    of: "entitlement_change",
    where: isUser,
    by: [.integer("version"), .integer("place")],
    [
      .integer("version"), .instant("occurs_at"), .boolean("is_planned"), .text("cause"),
      .text("effect"), .text("part"), .text("name"), .instant("ends_at"), .text("request_id"),
    ]
  )

  private static let usage = ExportSection(
    "usage",
    of: "metered_usage",
    where: isUser,
    by: [.text("feature"), .text("period"), .integer("starts_at")],
    [.text("feature"), .text("period"), .instant("starts_at"), .integer("used")]
  )

  private static let purchases = ExportSection(
    "purchases",
    of: "purchase",
    from: "purchase JOIN purchase_binding USING (\(PurchaseBindingTable.key))",
    where: "purchase_binding.buyer_id = ?1",
    by: [.text("store"), .text("environment"), .text("original_transaction_id")],
    [
      .text("id"), .text("store"), .text("environment"), .text("original_transaction_id"),
      .text("transaction_id"),
      .text("product_id"), .instant("claimed_at", from: "purchase_binding.bound_at"),
      .text("subject_kind", from: "purchase_binding.subject_kind"),
      .text("subject_id", from: "purchase_binding.subject_id"),
      .instant("ends_at", from: "purchase_binding.ends_at"),
      .boolean("is_renewed"), .boolean("is_family_shared"), .boolean("is_unshared"),
      .boolean("is_upgraded"), .boolean("is_test"), .instant("purchased_at"),
      .instant("expires_at"), .instant("grace_until"), .instant("revoked_at"),
      .instant("withdrawn_at"), .integer("refunded_share"), .instant("signed_at"),
      .integer("offer_type"), .text("offer_identifier"), .text("offer_discount_type"),
      .integer("auto_renew_status"), .text("renewal_product_id"),
      .boolean("is_in_billing_retry"), .integer("expiration_intent"), .instant("renews_at"),
      .integer("renewal_offer_type"), .text("renewal_offer_identifier"),
      .text("renewal_offer_discount_type"), .instant("renewal_signed_at"),
      .instant("refund_requested_at"), .text("refund_request_reason"),
      .instant("refund_signed_at"), .boolean("is_consumable"), .integer("quantity"),
      .text("previous_transaction_id"),
      .text("previous_product_id"), .instant("previous_purchased_at"),
      .instant("previous_expires_at"), .instant("previous_grace_until"),
      .instant("previous_revoked_at"), .boolean("previous_is_upgraded"),
      .instant("previous_signed_at"),
    ]
  )

  /// The user's points earned and redeemed, in ledgers that belong to children and families.
  ///
  /// The ledgers are found by the audit log, which has each entry's ledger and is indexed by who made it;
  /// an index of the entries themselves would be one more to write at every redemption.
  private static let points = ExportSection(
    "points",
    of: "points_entry",
    where: """
      (holder IN (SELECT scope FROM audit_log WHERE actor = 'user:' || ?1
          AND action IN ('points.earn', 'points.redeem', 'points.reverse', 'points.grant',
            'points.request', 'points.approve', 'points.decline', 'points.cancel'))
        OR holder IN (SELECT subject_id FROM purchase_binding WHERE buyer_id = ?1))
        AND actor_id = ?1
      """,
    by: [.text("holder"), .integer("number")],
    [
      .text("holder"), .integer("number"), .text("transaction_id"), .text("kind"), .text("app"),
      .text("debit"), .text("credit"), .integer("points"), .integer("minutes"),
      .integer("points_per_minute"), .text("reward"), .text("reversed_id"),
      .instant("occurred_at"),
    ]
  )

  /// The user's requests for redemptions, found as the points are.
  private static let pointsRequests = ExportSection(
    "points_requests",
    of: "points_request",
    where: """
      holder IN (SELECT scope FROM audit_log WHERE actor = 'user:' || ?1
          AND action = 'points.request')
        AND requested_by = ?1
      """,
    by: [.text("holder"), .text("id")],
    [
      .text("holder"), .text("id"), .text("reward"), .text("state"), .text("hold_id"),
      .instant("requested_at"), .instant("expires_at"), .instant("decided_at"),
      .text("transaction_id"),
    ]
  )

  // MARK: Left out

  private static let ownID = "the user's own identifier, which the document has once"
  private static let subject = "says that the record is the user's"
  private static let order = "a number of the store, by which records are ordered"
  private static let ofFamilies = "belongs to the child or family whose ledger it is"

  private static let withheld = [
    "erased": "keyed digests of what was deleted, which name nobody",
    "subject_version": "counts changes, for caches",
    "notification":
      "a store's messages about purchases; what came of them is in purchases and changes",
    "catalog_state": "nothing about users",
    "promotion_count": "nothing about users",
    "service_secret": "secrets of the service",
    "points_rule": ofFamilies,
    "points_holder": ofFamilies,
    "points_account": ofFamilies,
    "points_reward": ofFamilies,
    "points_clock": ofFamilies,
    "subscription.kind": subject,
    "subscription.id": ownID,
    "subscription_addon.kind": subject,
    "subscription_addon.id": ownID,
    "subscription_override.kind": subject,
    "subscription_override.id": ownID,
    "subscription_override.place": order,
    "scheduled_change.kind": subject,
    "scheduled_change.subject_id": ownID,
    "redemption.kind": subject,
    "redemption.id": ownID,
    "entitlement_change.kind": subject,
    "entitlement_change.id": ownID,
    "entitlement_change.place": order,
    "metered_usage.kind": subject,
    "metered_usage.id": ownID,
    "purchase.named_user_id": "may be another member of the family of a store",
    "purchase.customer_reference": "may be that of another member of the family of a store",
    "purchase.payload_digest": "evidence of the store's signature, for operators",
    "purchase.leaf_serial": "evidence of the store's signature, for operators",
    "purchase.transfer_count": "how often it changed hands, which others did",
    "purchase.is_granted": "whether somebody has held it, which others may have",
    "purchase.transfers_since": "how often it changed hands, which others did",
    "purchase_binding.store": "in purchases",
    "purchase_binding.environment": "in purchases",
    "purchase_binding.original_transaction_id": "in purchases",
    "purchase_binding.buyer_id": ownID,
    "purchase_binding.unproven_end": "says that a question to another service is open",
    "purchase_points": "the points are in points, or belong to the family whose ledger it is",
    "points_entry.balance": ofFamilies,
    "points_entry.actor_id": ownID,
    "points_request.requested_by": ownID,
    "points_request.decided_by": "another member of the family",
  ]
}
