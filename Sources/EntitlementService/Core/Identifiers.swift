internal import ServiceKit

extension IdentifierPrefix {
  /// Of a purchase.
  static let purchase = IdentifierPrefix("pur")
  /// Of a scheduled change.
  static let scheduledChange = IdentifierPrefix("sch")
  /// Of a transaction of the points ledger.
  static let pointsTransaction = IdentifierPrefix("ptx")
  /// Of a redemption that waits for approval.
  static let pointsRequest = IdentifierPrefix("prq")
}
