/// A command of a service besides serving, run on the server by an operator.
public struct OperatorCommand<Service: HostedService>: Sendable {
  /// The name on the command line: `grant-super-admin`.
  public let name: String
  /// Its arguments, for the help, which says how many there are: `EMAIL`, `USER [force]`.
  public let arguments: String
  /// One line for people.
  public let summary: String
  /// Runs it, and returns what to print.
  ///
  /// Throws what a person can act on.
  public let run: @Sendable (Service.Settings, ServiceEnvironment, [String]) async throws -> String

  /// Makes a command.
  public init(
    name: String,
    arguments: String,
    summary: String,
    run: @escaping @Sendable (Service.Settings, ServiceEnvironment, [String]) async throws -> String
  ) {
    self.name = name
    self.arguments = arguments
    self.summary = summary
    self.run = run
  }
}
