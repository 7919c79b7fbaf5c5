internal import EntitlementContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

extension AppleVerifier {
  func handle(
    _ request: Entitlement_V1.HandleNotificationRequest,
    _ call: CallContext,
    _ handler: PurchasesHandler
  ) async throws -> Entitlement_V1.HandleNotificationResponse {
    let verified = try await handler.counting {
      try await refusing { try await notification(request.signedPayload, call) }
    }
    handler.metrics.notified(verified.payload.type)
    return try await handler.takePurchases("", request, call, by: .outsider("apple")) {
      intake,
      tx,
      changes in
      guard try NotificationTable.insert(verified, outcome: "kept", in: tx) else {
        return .init(duplicate: true)
      }
      let isApplied = try Self.apply(verified, intake, in: tx, changes)
      if isApplied { try NotificationTable.setOutcome("applied", of: verified, in: tx) }
      return .init(applied: isApplied)
    }
  }

  /// The changes by a notification.
  ///
  /// What counts is the signed transaction inside and not the notification's name, so nearly all
  /// types need no rule of their own, and one that Apple invents tomorrow is handled too.
  private static func apply(
    _ verified: Verified<AppleNotification>,
    _ intake: PurchaseIntake,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws -> Bool {
    let notification = verified.payload
    if notification.type == "RESCIND_CONSENT" {
      guard let user = notification.appTransactionID, let signedAt = notification.signedDate else {
        return false
      }
      return try intake.withdrawConsent(
        of: user,
        in: storeName,
        verified.evidence.environment,
        signedAt: signedAt,
        in: tx,
        changes
      )
    }
    guard let transaction = notification.transaction else { return false }
    do {
      let purchase = try transaction.purchase()
      let outcome = try intake.take(
        purchase,
        renewal: notification.renewal?.report(of: purchase.payload),
        claim: nil,
        in: tx,
        changes
      )
      try noteRefund(notification, intake, on: outcome.record, in: tx)
      return outcome.isApplied
    } catch let error as RPCError where PurchaseError.isOfTransaction(error) {
      // Genuine, and of no use: kept and acknowledged, because to be sent it again would not help.
      return false
    }
  }

  /// Keeps what a notification says of a refund, if anything.
  private static func noteRefund(
    _ notification: AppleNotification,
    _ intake: PurchaseIntake,
    on record: PurchaseRecord,
    in tx: borrowing WriteTransaction
  ) throws {
    guard let signedAt = notification.signedDate else { return }
    var request: Purchase.RefundRequest?
    switch notification.type {
    case "CONSUMPTION_REQUEST":
      request = Purchase.RefundRequest(
        requestedAt: signedAt,
        reason: notification.consumptionRequestReason
      )
    case "REFUND_DECLINED": break
    default: return
    }
    try intake.noteRefund(request, signedAt: signedAt, on: record, in: tx)
  }
}
