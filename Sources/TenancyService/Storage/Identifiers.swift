public import ServiceKit

extension IdentifierPrefix {
  /// Of a portfolio.
  public static let portfolio = IdentifierPrefix("prt")
  /// Of a property.
  public static let property = IdentifierPrefix("prp")
  /// Of a unit.
  public static let unit = IdentifierPrefix("unt")
  /// Of a device.
  public static let device = IdentifierPrefix("dev")
  /// Of an association.
  public static let association = IdentifierPrefix("asc")
  /// Of an access record.
  public static let accessRecord = IdentifierPrefix("acr")
}
