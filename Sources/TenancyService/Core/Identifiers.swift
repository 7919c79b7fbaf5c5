public import ServiceKit

extension IdentifierPrefix {
  /// Of an association.
  public static let association = IdentifierPrefix("asc")
  /// Of a tenant-defined role.
  public static let roleDefinition = IdentifierPrefix("rol")
  static let invitation = IdentifierPrefix("inv")
  /// Of a device's pairing with a family.
  static let pairing = IdentifierPrefix("par")
  /// Of the deletion of an entity.
  static let entityDeletion = IdentifierPrefix("edl")
  /// Of an event that webhooks wait for.
  static let event = IdentifierPrefix("evt")
  static let webhook = IdentifierPrefix("whk")
  /// Of a command for a device.
  static let command = IdentifierPrefix("cmd")
  /// Of a watch of commands by a hardware bridge.
  static let bridge = IdentifierPrefix("brg")
  /// Of an access record.
  public static let accessRecord = IdentifierPrefix("acr")
}
