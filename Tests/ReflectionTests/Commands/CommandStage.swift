import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import TestingContracts
import Foundation
import RPCKit
import ServiceKit

@testable import CommandLineClient

/// The program in front of real servers, with a folder of its own and a clock that stands still.
final class CommandStage: Sendable {
  /// What one command line led to.
  struct Outcome: Sendable {
    let code: Int32
    let output: String
    let errors: String
  }

  /// The date that the program believes in.
  static let now: Int64 = 1_800_000_000_000

  let folder: String
  /// Where every service is.
  let target: String
  private let interrupts = AsyncStream.makeStream(of: ProcessSignal.self)

  private init(_ target: String) throws {
    self.target = target
    folder = "/tmp/gatehouse-\(UInt64.random(in: 0...(.max)))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
  }

  deinit {
    // The system empties the place anyway.
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// A file of the stage's folder.
  func file(_ name: String) -> URL { URL(filePath: "\(folder)/\(name)") }

  var sessionPath: String { "\(folder)/session.json" }

  /// Serves `services` over TCP while `body` runs commands.
  static func run(
    _ services: [ServiceDefinition],
    interceptors: [any ServerInterceptor] = [],
    _ body: (CommandStage) async throws -> Void
  ) async throws {
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let configuration = ServerConfiguration(
      endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))]
    )
    let server = Server(configuration, services: services, interceptors: interceptors, on: loops)
    try await server.serving { server in
      guard let address = server.addresses.first else {
        throw FileError("the server has no address")
      }
      try await body(try CommandStage("tcp://\(address)"))
    }
  }

  /// Runs one command line; every service is the one server, and the session is the folder's.
  func gatehouse(
    _ arguments: String...,
    environment: [String: String] = [:],
    input: String = "",
    onLine: @escaping @Sendable (String) -> Void = { _ in }
  ) async -> Outcome {
    await gatehouse(arguments, environment: environment, input: input, onLine: onLine)
  }

  /// The same with the words in an array.
  func gatehouse(
    _ arguments: [String],
    environment: [String: String] = [:],
    input: String = "",
    onLine: @escaping @Sendable (String) -> Void = { _ in }
  ) async -> Outcome {
    let output = Lock("")
    let errors = Lock("")
    let console = Console(
      write: { text in
        output.withLock { $0 += text }
        onLine(text)
      },
      writeError: { text in errors.withLock { $0 += text } },
      readInput: { Array(input.utf8) },
      askSecret: { secret, _ in throw secret.withoutTerminal }
    )
    let interrupts = interrupts.stream
    let program = Program(
      environment: environment.merging(defaults) { given, _ in given },
      console: console,
      clock: StandingClock(now: Self.now),
      interrupts: { interrupts }
    )
    let code = await program.run(arguments)
    return Outcome(
      code: code.rawValue,
      output: output.withLock { $0 },
      errors: errors.withLock { $0 }
    )
  }

  /// Presses Control-C.
  func interrupt() { interrupts.continuation.yield(.interrupt) }

  private var defaults: [String: String] {
    [
      "HOME": folder, "GATEHOUSE_AUTH": target, "GATEHOUSE_TENANCY": target,
      "GATEHOUSE_ENTITLEMENT": target,
    ]
  }
}

/// A clock that shows one time.
struct StandingClock: WallClock {
  let now: Int64
}
