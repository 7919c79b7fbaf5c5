internal import EntitlementContracts
internal import PeerContracts
internal import RPCKit

extension PurchasesHandler {
  func move(
    _ request: Entitlement_V1.MovePurchaseRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.Purchase {
    let userID = try core.userID(call)
    let (subject, right) = try core.purchaser(request.subject, call)
    return try await takePurchases(request.idempotencyKey, request, call, needing: right) {
      intake,
      tx,
      changes in
      let moved = try intake.move(
        request.purchaseId,
        to: subject,
        by: userID,
        in: tx,
        changes
      )
      return moved.wire(at: core.clock.now, intake.catalog)
    }
  }
}
