public import ServiceKit

extension IdentifierPrefix {
  /// Of a purchase.
  public static let purchase = IdentifierPrefix("pur")
  /// Of a transaction of the points ledger.
  public static let pointsTransaction = IdentifierPrefix("ptx")
}
