public import Foundation

/// An answer that draws a screen; the server decides each call anew.
public enum Verdict: Hashable, Sendable {
  /// It counts.
  case allowed
  /// It does not.
  case denied
  /// Nothing is known yet, which is not the same as no.
  case unknown
  /// The last answer has ended. `isShown` is it as long as the rules for answers without a server allow, and false
  /// afterwards.
  case stale(since: Date, isShown: Bool)

  /// Whether to show what needs it: denied and unknown hide.
  public var isAllowed: Bool {
    switch self {
    case .allowed: true
    case .denied, .unknown: false
    case .stale(_, let isShown): isShown
    }
  }
}

/// How to draw something that needs permissions and features.
public enum Gate: Hashable, Sendable {
  /// Show it.
  case show
  /// Hide it; do not disable it.
  case hide
  /// The person may, and the feature is not there: hide it, or show what would unlock it.
  case upgrade(Feature, UnlockedBy?)
  /// Nothing is known yet: leave room for it, for 300 ms at most.
  case wait
}

/// Requirements for something to be shown, as views have them.
public indirect enum Requirement: Hashable, Sendable {
  /// A permission, on an object or anywhere in the one that the person works in.
  case permission(Action, on: String? = nil)
  /// A feature.
  case feature(Feature)
  /// A role, on an object or anywhere in the one that the person works in.
  case role(Role, on: String? = nil)
  /// Any of some requirements.
  case any([Requirement])
  /// All of some requirements.
  case all([Requirement])

  /// Any of some permissions.
  public static func anyPermission(_ actions: [Action]) -> Requirement {
    .any(actions.map { .permission($0) })
  }

  /// All of some permissions.
  public static func allPermissions(_ actions: [Action]) -> Requirement {
    .all(actions.map { .permission($0) })
  }

  /// Any of some roles.
  public static func roles(_ roles: [Role]) -> Requirement { .any(roles.map { .role($0) }) }

  /// A feature and a permission.
  public static func featureAndPermission(_ feature: Feature, _ action: Action) -> Requirement {
    .all([.feature(feature), .permission(action)])
  }
}
