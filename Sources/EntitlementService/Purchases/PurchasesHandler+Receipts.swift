internal import Contracts
internal import RPCKit
internal import ServiceKit

extension PurchasesHandler {
  func validateReceipt(
    _ request: Entitlement_V1.ValidateReceiptRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.ValidateReceiptResponse {
    let userID = try core.userID(call)
    // Base 64 has no dots, and a compact signature has nothing else between its parts.
    let isTransaction = request.receiptData.utf8.contains(UInt8(ascii: "."))
    guard isTransaction || core.receiptVerifier.isConfigured else {
      throw ServiceFault.receiptsNotConfigured
    }
    let transactions: [Verified<AppleTransaction>]
    do {
      if isTransaction {
        transactions = [try await core.verify(request.receiptData, call)].filter {
          $0.payload.productID == request.productId
        }
      } else {
        transactions = try await core.verifyReceipt(request.receiptData, call)
          .transactions(of: request.productId)
      }
    } catch let error as AppleVerificationError {
      core.metrics.refused(error)
      throw error.rpcError
    }
    core.metrics.validated(isTransaction ? "transaction" : "legacy")
    guard !transactions.isEmpty else {
      throw EntitlementError.productNotInReceipt(request.productId).rpcError
    }
    return try await core.takePurchases(request.idempotencyKey, request, call) {
      [core] intake, tx, changes in
      let claim = PurchaseIntake.Claim(userID: userID, isRestore: false)
      var outcomes: [PurchaseIntake.Outcome] = []
      var refusal: EntitlementError?
      for transaction in transactions {
        do {
          // One that is somebody else's does not keep the others out.
          outcomes.append(
            try tx.attempt { try intake.take(transaction, claim: claim, in: tx, changes) }
          )
        } catch let error as EntitlementError {
          refusal = refusal ?? error
        } catch is AccountsUndecided {
          continue
        }
      }
      if outcomes.isEmpty, let refusal { throw refusal.rpcError }
      let results = outcomes.map { core.result(of: $0, for: userID) }
      return .init(
        format: isTransaction ? .transaction : .legacy,
        result: results.contains(.applied) ? .applied : results.first ?? .unchanged,
        purchases: outcomes.map { $0.record.wire(at: core.clock.now, intake.catalog) },
        version: try SubjectVersions.current(of: .user(userID), in: tx)
      )
    }
  }
}
