internal import RPCKit
internal import ServiceKit

extension PurchaseError {
  /// Legacy receipts are not accepted here.
  static let receiptsNotConfigured = ErrorCatalog.entitlement.precondition(
    "RECEIPT_ROOT_MISSING",
    "legacy receipts are not accepted here; set apple.receipt_root to the file of Apple Inc. Root, "
      + "or send a transaction of StoreKit 2"
  )
}
