/// Whom a call is counted for where what one caller may have at a time is bounded.
public enum CountedCaller: Hashable, Sendable {
  /// Somebody without credentials, by where the call comes from.
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
