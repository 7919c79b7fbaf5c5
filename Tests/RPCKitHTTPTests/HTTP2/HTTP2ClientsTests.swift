import Foundation
import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

/// Clients that others wrote, over sockets.
@Suite("HTTP/2: other clients", .teardown)
struct HTTP2ClientsTests {
  /// Runs a program against a server of `PathRouter`; nil when it is missing or fails.
  private func output(_ arguments: @Sendable (String) -> [String]) async throws -> String? {
    let loops = try EventLoopGroup.epoll(count: 1)
    var configuration = ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))])
    configuration.wires = [HTTPServerWire(HTTPConfiguration(router: PathRouter()))]
    let server = Server(configuration, services: [], on: loops)
    let result = try await server.serving { server in
      let command = arguments("http://\(server.addresses[0])")
      return try await run(command)
    }
    loops.stop()
    return result
  }

  private func run(_ arguments: [String]) async throws -> String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("curl gets its content back")
  func curl_echo() async throws {
    let output = try await output { url in
      [
        "curl", "--silent", "--http2-prior-knowledge", "--data", "hello", "--write-out",
        " %{http_version} %{http_code}", "\(url)/echo",
      ]
    }
    #expect(output == "hello 2 200")
  }

  @Test("h2load gets every answer")
  func h2load_requests() async throws {
    let output = try await output { url in
      ["h2load", "-n", "2000", "-c", "4", "-m", "16", "\(url)/bytes/100"]
    }
    #expect(output?.contains("2000 succeeded, 0 failed, 0 errored, 0 timeout") == true)
  }

  @Test("nghttp reads five mebibytes through its windows")
  func nghttp_large() async throws {
    let output = try await output { url in ["nghttp", "--stat", "-n", "\(url)/bytes/5000000"] }
    #expect(output?.contains(" 200 ") == true)
  }
}
