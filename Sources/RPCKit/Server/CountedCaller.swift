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

/// Kinds of callers.
enum CountedCallerKind: String, CaseIterable {
  /// Not said: no interceptor looked, or none has yet.
  case unknown
  case anonymous
  case user
  case service
}

extension CountedCallerKind {
  /// Its place in `allCases`.
  var index: Int {
    switch self {
    case .unknown: 0
    case .anonymous: 1
    case .user: 2
    case .service: 3
    }
  }
}
