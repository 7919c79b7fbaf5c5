internal import ServiceKit

extension IdentifierPrefix {
  /// Of a portfolio.
  static let portfolio = IdentifierPrefix("prt")
  /// Of a property.
  static let property = IdentifierPrefix("prp")
  /// Of a unit.
  static let unit = IdentifierPrefix("unt")
  /// Of a device.
  static let device = IdentifierPrefix("dev")
}
