import PeerContracts
import TestingContracts
import RPCKit
import Testing

@testable import RPCKitHTTP

/// Requests as a proxy sends them on, over a socket and every wire, to a server that knows the proxy and to one that
/// does not.
@Suite("Calls through a proxy", .teardown) struct ProxiedCallTests {
  /// What the handler was told of where a call comes from, by every wire in turn.
  private func sources(
    _ fields: [String],
    trusting networks: [String]
  ) async throws -> [String: String] {
    var proxies = TrustedProxies()
    proxies.networks = networks.compactMap { AddressNetwork($0) }
    try #require(proxies.networks.count == networks.count)
    return try await PeerStage.serving(trusting: proxies) { address in
      var found: [String: String] = [:]
      for version in ["--http1.1", "--http2-prior-knowledge"] {
        for (dialect, type) in [
          ("connect", "application/proto"), ("grpc", "application/grpc"),
          ("grpc-web", "application/grpc-web"),
        ] where dialect != "grpc" || version != "--http1.1" {
          let message = request("a", "from")
          let content = dialect == "connect" ? message : envelope(message)
          let output = try await PeerStage.output(
            ["curl", "--silent", "--max-time", "60", version, "-H", "content-type: \(type)"]
              + fields.flatMap { ["-H", $0] }
              + ["--data-binary", "@-", "http://\(address)/test.Echo/Say"],
            input: content
          )
          let start = dialect == "connect" ? 0 : 5
          let count = dialect == "connect" ? output.count : Int(try #require(output[4...].first))
          let answer = try EchoService.Response(
            protobuf: Array(output.dropFirst(start).prefix(count)).span,
            limits: MessageLimits()
          )
          found["\(dialect) \(version)"] = answer.reason
        }
      }
      found["frames"] = try await framed(fields, address)
      return found
    }
  }

  /// Metadata by a framed call is the caller's own words, whatever its name.
  private func framed(_ fields: [String], _ address: String) async throws -> String {
    var metadata = Metadata()
    for field in fields {
      let parts = field.split(separator: ": ", maxSplits: 1)
      metadata.append(parts[0].lowercased(), String(parts[1]))
    }
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let options = CallOptions(timeout: .seconds(60), metadata: metadata)
    return try await withChannel("tcp://\(address)", ChannelConfiguration(loops: loops)) {
      channel in
      let response: EchoService.Response = try await channel.unary(
        EchoService.descriptor("Say", .unary),
        EchoService.Request(subject: "a", context: "from"),
        options: options
      )
      return response.reason
    }
  }

  private static let lie = ["X-Forwarded-For: 198.51.100.1", "client-address: 198.51.100.2"]

  @Test("Strangers are not believed, on no wire")
  func stranger_isItself() async throws {
    for networks in [[], ["10.0.0.0/8", "::1"]] {
      let sources = try await sources(
        Self.lie + ["Forwarded: for=198.51.100.3", "X-Real-IP: 198.51.100.4"],
        trusting: networks
      )
      #expect(sources.count == 6)
      for (wire, source) in sources { #expect(source == "127.0.0.1", "\(wire)") }
    }
  }

  @Test("A proxy is believed by its last word on every wire of HTTP, and not by frames")
  func proxy_tellsTheClient() async throws {
    let fields = Self.lie + ["X-Forwarded-For: 198.51.100.9, 203.0.113.7, 127.0.0.2"]
    let sources = try await sources(fields, trusting: ["127.0.0.0/8"])
    #expect(sources.count == 6)
    for (wire, source) in sources {
      #expect(source == (wire == "frames" ? "127.0.0.1" : "203.0.113.7"), "\(wire)")
    }
  }

  @Test("What a proxy does not say, or cannot be read, leaves its own address")
  func proxy_silentOrGarbled_isItself() async throws {
    for fields in [["Forwarded: for=198.51.100.1"], ["X-Forwarded-For: 198.51.100.1, nobody"]] {
      let sources = try await sources(fields, trusting: ["127.0.0.1"])
      #expect(sources.count == 6)
      for (wire, source) in sources { #expect(source == "127.0.0.1", "\(wire)") }
    }
  }
}
