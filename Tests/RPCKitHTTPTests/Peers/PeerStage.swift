import TestingContracts
import Dispatch
import RPCKit
import RPCKitTesting
import Reflection
import Testing

@testable import RPCKitHTTP

/// A server on a socket, for clients that others wrote.
enum PeerStage {
  /// Runs `body` with the server's address, while it serves `EchoService`, what else is given, health and
  /// reflection.
  static func serving<Result: Sendable>(
    _ others: [ServiceDefinition] = [],
    trusting proxies: TrustedProxies = TrustedProxies(),
    configure: (inout CallRouter) -> Void = { _ in },
    server adjust: (inout ServerConfiguration) throws -> Void = { _ in },
    _ body: @escaping @Sendable (_ address: String) async throws -> Result
  ) async throws -> Result {
    var router = CallRouter()
    router.transcoder = try ReflectedTranscoder(
      SchemaRegistry([Benchmark_V1.benchmarkV1PermissionFile])
    )
    configure(&router)
    var configuration = ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))])
    var http = HTTPConfiguration(router: router)
    http.trustedProxies = proxies
    configuration.wires = [HTTPServerWire(http)]
    configuration.compressesResponses = true
    // A thousand calls at once to a debug build are an overload, and a stock client does not try again.
    configuration.admission.isAdaptive = false
    try adjust(&configuration)
    let services = [EchoService().definition, HealthService().definition] + others
    let reflection = try ServerReflection(services: services)
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let server = Server(configuration, services: services + reflection.definitions, on: loops)
    return try await server.serving { server in
      try await body("\(try #require(server.addresses.first))")
    }
  }

  /// What a program wrote, run on a thread of its own, as it blocks.
  static func output(_ arguments: [String], input: [UInt8] = []) async throws -> [UInt8] {
    let output = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: ForeignProgram.run(arguments, input: input))
      }
    }
    return try #require(output, "\(arguments[0]) is missing or fails; run scripts/setup")
  }

  /// How a program ended, and what it wrote to both of its outputs.
  struct Ending {
    var code: Int
    var text: String

    /// The text without spaces and line ends, which programs put into JSON as they like.
    var json: String { text.filter { !$0.isWhitespace } }
  }

  /// Runs a program that tells by its code how a call ended.
  static func ending(of arguments: [String], input: String = "") async throws -> Ending {
    let script = #""$@" 2>&1; printf '\n%d' $?"#
    let output = try await output(["sh", "-c", script, "sh"] + arguments, input: Array(input.utf8))
    let text = String(decoding: output, as: UTF8.self)
    let end = try #require(text.lastIndex(of: "\n"))
    return Ending(
      code: try #require(Int(text[text.index(after: end)...])),
      text: String(text[..<end])
    )
  }
}
