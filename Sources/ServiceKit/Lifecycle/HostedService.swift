public import RPCKit
public import StrictJSON

/// What makes a program a service of its own kind; `ServiceProgram` does the rest.
public protocol HostedService: Sendable {
  /// Settings besides the common ones.
  associatedtype Settings: Sendable

  /// Name and ports.
  static var identity: ServiceIdentity { get }

  /// What its store is, for the commands that look at it without the service.
  static var store: StoreDefinition { get }

  /// Takes the service's own settings out of the members.
  static func settings(_ members: inout JSONMembers) throws(JSONDecodingError) -> Settings

  /// Opens the files that the settings name and looks whether they are good, without making or
  /// changing anything; what every service has was looked at already.
  static func check(
    _ settings: Settings,
    _ common: ServiceSettings,
    _ check: inout ConfigurationCheck
  )

  /// Opens the store and makes everything ready to serve; throws what a person can act on.
  static func open(_ settings: Settings, in environment: ServiceEnvironment) async throws -> Self

  /// What is served.
  var services: [ServiceDefinition] { get }

  /// Run around every handler, in this order: authentication first.
  var interceptors: [any ServerInterceptor] { get }

  /// Work that continues while calls are served, until the task is cancelled. What it throws ends the
  /// program.
  func run() async throws

  /// What must be in order to be sent calls. Asked often and on an event loop: looks, and does not
  /// wait.
  func readiness() -> Readiness

  /// Reads again what can change while calls are served: certificates are read by the host, policies
  /// by the service. Throws what is wrong, and keeps what was.
  func reload() async throws

  /// Closes the store, after the last call ended.
  func close() async
}

extension HostedService {
  /// Names no files.
  public static func check(
    _ settings: Settings,
    _ common: ServiceSettings,
    _ check: inout ConfigurationCheck
  ) {}
}

/// Name and ports of a kind of service.
public struct ServiceIdentity: Sendable {
  /// What others call it: `tenancy`.
  public let name: String
  /// One line for people.
  public let summary: String
  /// Where it listens unless told otherwise.
  public let port: UInt16
  /// Where its metrics and probes are unless told otherwise.
  public let adminPort: UInt16

  /// Makes an identity.
  public init(name: String, summary: String, port: UInt16, adminPort: UInt16) {
    self.name = name
    self.summary = summary
    self.port = port
    self.adminPort = adminPort
  }
}
