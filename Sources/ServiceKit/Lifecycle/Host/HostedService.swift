public import StrictJSON

/// The parts that make a program a service of its own kind; `ServiceProgram` does the rest.
///
/// Every service goes through the same states: `open` gives what the host serves until it has to
/// stop; then the host is no longer ready, drains, ends the work in the background and closes.
public protocol HostedService: Sendable {
  /// Settings besides the common ones.
  associatedtype Settings: Sendable

  /// Name and ports.
  static var identity: ServiceIdentity { get }

  /// The definition of its store, for the commands that look at it without the service.
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
  static func open(
    _ settings: Settings,
    in environment: ServiceEnvironment
  ) async throws -> OpenService<Settings>

  /// The settings that `OpenService.reload` takes anew, with the files that they name.
  static var reloadedSettings: [String] { get }
}

extension HostedService {
  /// None.
  public static var reloadedSettings: [String] { [] }

  /// Names no files.
  public static func check(
    _ settings: Settings,
    _ common: ServiceSettings,
    _ check: inout ConfigurationCheck
  ) {}
}

/// Name and ports of a kind of service.
public struct ServiceIdentity: Sendable {
  /// Its name for other services: `tenancy`.
  public let name: String
  /// One line for people.
  public let summary: String
  /// The default listen address.
  public let port: UInt16
  /// The default address of metrics and probes.
  public let adminPort: UInt16

  /// Makes an identity.
  public init(name: String, summary: String, port: UInt16, adminPort: UInt16) {
    self.name = name
    self.summary = summary
    self.port = port
    self.adminPort = adminPort
  }
}
