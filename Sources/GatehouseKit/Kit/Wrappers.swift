/// Whether the person may do an action.
///
/// In an `@Observable` class write `@ObservationIgnored @Permission(.manageInvoices) var canManage`: the macro does not
/// know wrappers. Views that read it are drawn again all the same.
@propertyWrapper
public struct Permission: Sendable {
  private let action: Action
  private let entity: String?
  private let rights: Rights?

  /// Asks about an action, on an object or anywhere in the one that the person works in.
  public init(_ action: Action, on entity: String? = nil, in gatehouse: Gatehouse? = nil) {
    self.action = action
    self.entity = entity
    rights = gatehouse?.rights
  }

  /// Whether to show it.
  public var wrappedValue: Bool { projectedValue.isAllowed }

  /// The whole answer.
  public var projectedValue: Verdict {
    (rights ?? Gatehouse.current?.rights)?.permission(action, on: entity) ?? .unknown
  }
}

/// Whether a feature is available in the object that the person works in.
@propertyWrapper
public struct FeatureFlag: Sendable {
  private let feature: Feature
  private let rights: Rights?

  /// Asks about a feature.
  public init(_ feature: Feature, in gatehouse: Gatehouse? = nil) {
    self.feature = feature
    rights = gatehouse?.rights
  }

  /// Whether to show it.
  public var wrappedValue: Bool { projectedValue.isAllowed }

  /// The whole answer.
  public var projectedValue: Verdict {
    (rights ?? Gatehouse.current?.rights)?.feature(feature) ?? .unknown
  }
}

/// Whether the person has a role.
@propertyWrapper
public struct HasRole: Sendable {
  private let role: Role
  private let entity: String?
  private let rights: Rights?

  /// Asks about a role, on an object or anywhere in the one that the person works in.
  public init(_ role: Role, on entity: String? = nil, in gatehouse: Gatehouse? = nil) {
    self.role = role
    self.entity = entity
    rights = gatehouse?.rights
  }

  /// Whether to show it.
  public var wrappedValue: Bool { projectedValue.isAllowed }

  /// The whole answer.
  public var projectedValue: Verdict {
    (rights ?? Gatehouse.current?.rights)?.role(role, on: entity) ?? .unknown
  }
}
