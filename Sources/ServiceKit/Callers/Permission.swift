/// An action on an entity, as the policy names both.
public struct Permission: Hashable, Sendable {
  /// The action: `portfolio.update`.
  public var action: String
  /// To what.
  public var entity: String

  /// Names an action on an entity.
  public init(_ action: String, on entity: String) {
    self.action = action
    self.entity = entity
  }

  /// The permission of operators, and nobody else.
  public static let administration = Permission("system.administer", on: "sys_root")
  /// The permission of support people, which operators have too: to read about any account or tenant.
  public static let inspection = Permission("system.inspect", on: "sys_root")
}
