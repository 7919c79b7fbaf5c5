internal import PeerContracts
internal import EntitlementContracts
internal import RPCKit
internal import ServiceKit

extension PurchasesHandler {
  func validateReceipt(
    _ request: Entitlement_V1.ValidateReceiptRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.ValidateReceiptResponse {
    let (claim, right) = try claim(on: request.subject, isRestore: false, call)
    let store = try stores[request.store]
    let (format, transactions) = try await counting {
      try await store.proof(request.receiptData, of: request.productId, call)
    }
    metrics.validated(format == .transaction ? "transaction" : "legacy")
    guard !transactions.isEmpty else {
      throw PurchaseError.productNotInReceipt(request.productId)
    }
    var response = try await takePurchases(
      request.idempotencyKey,
      request,
      call,
      needing: right
    ) { intake, tx, changes -> Entitlement_V1.ValidateReceiptResponse in
      var outcomes: [PurchaseIntake.Outcome] = []
      var refusal: RPCError?
      for transaction in transactions {
        do {
          // One that is somebody else's does not keep the others out.
          outcomes.append(
            try tx.attempt {
              try intake.take(try transaction.get(), claim: claim, in: tx, changes)
            }
          )
        } catch let error as RPCError where PurchaseError.isOfTransaction(error) {
          refusal = refusal ?? error
        } catch is IntakeUndecided {
          continue
        }
      }
      if outcomes.isEmpty, let refusal { throw refusal }
      let takes = outcomes.map { taken($0, by: claim, intake.catalog) }
      let results = takes.map(\.result)
      let outcome = results.contains(.applied) ? .applied : results.first ?? .unchanged
      let purchases = takes.map(\.purchase)
      let subject = takes.first?.subject ?? claim.subject ?? .user(claim.buyerID)
      return .init(
        format: format,
        result: outcome,
        purchases: purchases,
        version: try SubjectVersionTable.current(of: subject, in: tx),
        message: Self.message(outcome, purchases)
      )
    }
    // After the change, and not kept for a repeated request.
    response.user = await accounts.profile(of: try call.requireUser())
    return response
  }

  /// The result for people.
  private static func message(
    _ result: Entitlement_V1.TransactionResult,
    _ purchases: [Entitlement_V1.Purchase]
  ) -> String {
    if result == .sandbox { return "Sandbox purchase recorded; it enables nothing here" }
    guard purchases.contains(where: { $0.state == .active }) else {
      return "Purchase recorded; it has ended, so it enables nothing"
    }
    return "Feature enabled"
  }
}
