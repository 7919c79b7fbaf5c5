public import ServiceKit

extension IdentifierPrefix {
  /// Of an association.
  public static let association = IdentifierPrefix("asc")
  /// Of a role of a tenant's own.
  public static let roleDefinition = IdentifierPrefix("rol")
  /// Of an access record.
  public static let accessRecord = IdentifierPrefix("acr")
}
