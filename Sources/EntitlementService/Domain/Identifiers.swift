public import ServiceKit

extension IdentifierPrefix {
  /// Of a purchase.
  public static let purchase = IdentifierPrefix("pur")
}
