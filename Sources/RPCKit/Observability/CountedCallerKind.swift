/// Kinds of callers.
enum CountedCallerKind: String, CaseIterable {
  /// Not said: no interceptor looked, or none has yet.
  case unknown
  case anonymous
  case user
  case service

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
