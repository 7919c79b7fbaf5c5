public import RPCKit

/// Who is calling, as far as this service cares.
public enum Requester: Hashable, Sendable {
  /// Nobody that is known.
  case anonymous
  /// A user, or a service that acts for one.
  case user(String)
  /// A service for itself.
  case service(String)

  /// For audit records: `usr_…`, `svc://billing`.
  var actor: String {
    switch self {
    case .anonymous: "anonymous"
    case .user(let id): id
    case .service(let name): "svc://\(name)"
    }
  }
}

/// Finds out who calls; the server's authentication has admitted the call by then.
public typealias Identification = @Sendable (CallContext) -> Requester
