internal import CommandLineTool
internal import RPCKit
internal import Reflection
internal import ServiceKit

/// The surroundings of a command.
struct CommandContext: Sendable {
  /// The command line.
  let options: CommandLineOptions
  /// Variables of the environment.
  let environment: [String: String]
  /// Where results go.
  let console: Console
  /// The date.
  let clock: any WallClock
  /// Control-C as a sequence.
  let interrupts: @Sendable () throws -> AsyncStream<ProcessSignal>
  /// Every method and type.
  let registry: SchemaRegistry

  /// How long a call with one answer may take.
  var callTimeout: Duration { options.timeout ?? .seconds(10) }

  /// Runs `body` with a channel to a service and the options of a call that needs no session.
  func anonymous<Result>(
    to service: String,
    _ body: (Channel, CallOptions) async throws -> Result
  ) async throws -> Result {
    try await withChannel(to: service) { try await body($0, CallOptions(timeout: callTimeout)) }
  }

  /// A message with every field.
  func json<Answer: Message>(_ message: Answer) throws -> JSONValue {
    try json(message.protobufBytes, as: Answer.protobufName)
  }

  /// A message of the type of this name, with every field.
  func json(_ bytes: [UInt8], as type: String) throws -> JSONValue {
    try MessageJSON(registry, unset: .all).decode(bytes, as: type)
  }

  /// Runs `body` with a channel to a service; its failed calls become `CallFailure`.
  func withChannel<Result>(
    to service: String,
    _ body: (Channel) async throws -> Result
  ) async throws -> Result {
    let target = try options.target(of: service)
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    var configuration = ChannelConfiguration(loops: loops)
    configuration.connectionsPerAddress = 1
    if target.endpoints.contains(where: { $0.tlsHost != nil }) { configuration.useTLS(try tls()) }
    let channel = Channel(target, configuration)
    do {
      let result = try await body(channel)
      await channel.close()
      return result
    } catch {
      await channel.close()
      guard let error = error as? RPCError else { throw error }
      throw CallFailure(
        error: error,
        service: service,
        target: options.targets[service] ?? service
      )
    }
  }

  private func tls() throws(UsageError) -> TLSContextSource {
    let roots = options.authoritiesPath.map { TLSConfiguration.TrustRoots.pem(.file($0)) }
    let configuration = TLSConfiguration(
      role: .client(identity: nil, roots: roots ?? .system, expectedHost: nil)
    )
    do {
      return try TLSContextSource(configuration)
    } catch {
      throw UsageError("cannot set up TLS: \(error)")
    }
  }
}
