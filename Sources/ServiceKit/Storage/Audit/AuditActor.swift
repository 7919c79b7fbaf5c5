/// The actor of a record, as audit records of all services spell it.
///
/// Records from before version 0.3 spell services `service:tenancy`, and AuthService and
/// EntitlementService wrote users as `usr_…`; they stay as they are, so anyone who searches old records
/// looks for both.
public struct AuditActor: Hashable, Sendable {
  /// `user:usr_…`, `svc://auth`, `anonymous`, `migration`, or somebody outside of the installation: `apple`.
  public let name: String
  /// The user for whom a service acted: `user:usr_…`.
  public let onBehalfOf: String?

  private init(_ name: String, onBehalfOf: String? = nil) {
    self.name = name
    self.onBehalfOf = onBehalfOf
  }

  /// Anyone who makes a call: for a service that acts for a user, the service on the user's behalf.
  public init(_ caller: Caller) {
    guard let user = caller.user, let service = user.actingService else {
      self.init(caller.description)
      return
    }
    self.init(Caller.service(service).description, onBehalfOf: caller.description)
  }

  /// A user who has proved who they are within the call: by signing in.
  public static func user(_ id: String) -> AuditActor { AuditActor("user:\(id)") }

  /// The user that an actor of a record is, deleted ones and those of old records included; nil for any other actor.
  package static func userID(of name: String) -> String? {
    let id = name.hasPrefix("user:") ? name.dropFirst("user:".count) : name[...]
    guard id.hasPrefix("usr_") || id.hasPrefix(Pseudonym.prefix) else { return nil }
    return String(id)
  }

  /// A service of the installation that acts by itself.
  public static func service(_ name: String) -> AuditActor {
    AuditActor(Caller.service(name).description)
  }

  /// Work that an upgrade has left to be done.
  public static let migration = AuditActor("migration")

  /// An actor outside of the installation, who is accepted by a signature: `apple`.
  public static func outsider(_ name: StaticString) -> AuditActor { AuditActor("\(name)") }
}
