/// The caller that a call is counted for where the number of calls of one caller is bounded.
public enum CountedCaller: Hashable, Sendable {
  /// A caller without credentials, by where the call comes from.
  case anonymous(String)
  /// A user.
  case user(String)
  /// Another service.
  case service(String)

  /// Whether the caller showed no credentials.
  public var isAnonymous: Bool { kind == .anonymous }

  /// The kind of caller: a label in metrics.
  var kind: CountedCallerKind {
    switch self {
    case .anonymous: .anonymous
    case .user: .user
    case .service: .service
    }
  }
}
