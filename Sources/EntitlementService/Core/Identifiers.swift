public import ServiceKit

extension IdentifierPrefix {
  /// Of a purchase.
  public static let purchase = IdentifierPrefix("pur")
  /// Of a scheduled change.
  public static let scheduledChange = IdentifierPrefix("sch")
  /// Of a transaction of the points ledger.
  public static let pointsTransaction = IdentifierPrefix("ptx")
}
