internal import EntitlementContracts
internal import PeerContracts
internal import RPCKit

extension AppleVerifier: PurchaseStore {
  static let storeName = "apple"

  var name: String { Self.storeName }

  func purchase(_ signed: String, _ call: CallContext) async throws -> ProvenPurchase {
    try await refusing { try await transaction(signed, call) }.proven
  }

  func proof(
    _ data: String,
    of productID: String,
    _ call: CallContext
  ) async throws -> (format: Entitlement_V1.ReceiptFormat, purchases: [ProvenPurchase]) {
    // Base 64 has no dots, and a compact signature has nothing else between its parts.
    guard !data.utf8.contains(UInt8(ascii: ".")) else {
      let verified = try await refusing { try await transaction(data, call) }
      return (.transaction, verified.payload.productID == productID ? [verified.proven] : [])
    }
    guard acceptsReceipts else { throw PurchaseError.receiptsNotConfigured }
    let verified = try await refusing { try await receipt(data, call) }
    return (.legacy, verified.transactions(of: productID).map(\.proven))
  }

  /// Throws what is not genuine as all stores do.
  func refusing<Payload>(_ verify: () async throws -> Payload) async throws -> Payload {
    do {
      return try await verify()
    } catch let error as AppleVerificationError {
      switch error {
      case .invalid(let reason): throw RefusedStoreData.invalid(reason: reason.name)
      case .retry: throw RefusedStoreData.retry
      }
    }
  }
}

extension Verified where Payload == AppleTransaction {
  /// The purchase that the transaction describes, with the same evidence.
  fileprivate var proven: ProvenPurchase {
    do throws(RPCError) {
      return .success(try purchase())
    } catch {
      return .failure(error)
    }
  }
}
