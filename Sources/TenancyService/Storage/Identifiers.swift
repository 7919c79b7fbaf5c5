public import ServiceKit

extension IdentifierPrefix {
  /// Of an association.
  public static let association = IdentifierPrefix("asc")
  /// Of an access record.
  public static let accessRecord = IdentifierPrefix("acr")
}
