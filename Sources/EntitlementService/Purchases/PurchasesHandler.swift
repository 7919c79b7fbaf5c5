internal import Contracts
internal import RPCKit
internal import ServiceKit

/// Purchases of users, as devices and Apple report them.
struct PurchasesHandler: Entitlement_V1.PurchasesService {
  let core: EntitlementCore

  func submitTransaction(
    _ request: Entitlement_V1.SubmitTransactionRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.SubmitTransactionResponse {
    let userID = try core.userID(call)
    let verified: Verified<AppleTransaction>
    do {
      verified = try await core.verify(request.signedTransaction, call)
    } catch let error as AppleVerificationError {
      core.metrics.refused(error)
      throw error.rpcError
    }
    return try await core.takePurchases(request.idempotencyKey, request, call) {
      [core] intake, tx, changes in
      do {
        let claim = PurchaseIntake.Claim(userID: userID, isRestore: false)
        let outcome = try intake.take(verified, claim: claim, in: tx, changes)
        return .init(
          result: core.result(of: outcome, for: userID),
          purchase: outcome.record.wire(at: core.clock.now, intake.catalog),
          version: try SubjectVersions.current(of: .user(userID), in: tx)
        )
      } catch let error as EntitlementError {
        throw error.rpcError
      }
    }
  }

  func restore(
    _ request: Entitlement_V1.RestoreRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.RestoreResponse {
    let userID = try core.userID(call)
    var checked: [Result<Verified<AppleTransaction>, AppleVerificationError>] = []
    for text in request.signedTransactions {
      let result: Result<Verified<AppleTransaction>, AppleVerificationError>
      do {
        result = .success(try await core.verify(text, call))
      } catch let error as AppleVerificationError {
        core.metrics.refused(error)
        if error == .retry { throw error.rpcError }
        result = .failure(error)
      }
      checked.append(result)
      try Task.checkCancellation()
    }
    let transactions = checked
    return try await core.takePurchases(request.idempotencyKey, request, call) {
      [core] intake, tx, changes in
      var restored: [Entitlement_V1.RestoredTransaction] = []
      for transaction in transactions {
        restored.append(try core.restore(transaction, userID, intake, in: tx, changes))
      }
      return .init(
        transactions: restored,
        version: try SubjectVersions.current(of: .user(userID), in: tx)
      )
    }
  }

  func handleNotification(
    _ request: Entitlement_V1.HandleNotificationRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.HandleNotificationResponse {
    let verified: Verified<AppleNotification>
    do {
      verified = try await core.verifyNotification(request.signedPayload, call)
    } catch let error as AppleVerificationError {
      core.metrics.refused(error)
      throw error.rpcError
    }
    core.metrics.notified(verified.payload.type)
    return try await core.takePurchases("", request, call, by: .outsider("apple")) {
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

  func list(
    _ request: Entitlement_V1.ListPurchasesRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.ListPurchasesResponse {
    let userID = try await core.readableUser(request.userId, call)
    let binding = TokenSealer.PageBinding(
      caller: call.caller.description,
      filter: [call.method.fullName, userID]
    )
    let asked = try core.tokens.page(
      .init(size: request.pageSize, token: request.pageToken),
      cursorCount: 2,
      binding
    )
    let (start, size) = (asked.cursor.flatMap { PurchasePlace(cursor: $0) }, asked.size)
    // One more than asked for says whether there is another page.
    var records = try await core.store.read { tx in
      try PurchaseTable.page(of: userID, after: start, count: size + 1, in: tx)
    }
    let hasMore = records.count > size
    records = Array(records.prefix(size))
    var next = ""
    if hasMore, let last = records.last {
      let place = PurchasePlace(purchasedAt: last.purchase.purchasedAt, id: last.id)
      next = asked.token(after: place.cursor)
    }
    let (now, catalog) = (core.clock.now, core.resolver.catalog)
    return .init(purchases: records.map { $0.wire(at: now, catalog) }, nextPageToken: next)
  }

  /// What a notification changes.
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
        verified.evidence.environment,
        signedAt: signedAt,
        in: tx,
        changes
      )
    }
    guard let transaction = notification.transaction else { return false }
    do {
      let outcome = try intake.take(
        transaction,
        renewal: notification.renewal,
        claim: nil,
        in: tx,
        changes
      )
      try intake.noteRefundRequest(notification, on: outcome.record, in: tx)
      return outcome.isApplied
    } catch is EntitlementError {
      // Genuine, and of no use: kept and acknowledged, because to be sent it again would not help.
      return false
    }
  }
}
