import TestingContracts
import Testing

@testable import RPCKit

/// TLS handshakes that do not end, and what they may take from others.
@Suite("Floods of TLS handshakes", .serialized, .timeLimit(.minutes(1)))
struct HandshakeFloodTests {
  private func run(
    _ limits: @escaping @Sendable (inout Limits) -> Void,
    _ body: (EndToEnd) async throws -> Void
  ) async throws {
    let certificates = try TestCertificates.shared.get()
    let server = try TLSContextSource(certificates.serverConfiguration())
    let client = try TLSContextSource(certificates.clientConfiguration())
    try await EndToEnd.run(
      server: { configuration in
        limits(&configuration.limits)
        configuration.endpoints = configuration.endpoints.map { .init($0.address, tls: server) }
      },
      channel: { configuration in
        configuration.retry = .never
        configuration.wrapTransport = { transport, host in
          try TLSTransport(over: transport, context: client.current, expectedHost: host)
        }
      },
      scheme: "tls",
      body
    )
  }

  @Test(
    "Of handshakes that do not go on the oldest make room, and clients get in",
    arguments: [true, false]
  )
  func halfHandshakes_makeRoom(bySource: Bool) async throws {
    try await run { limits in
      if bySource {
        limits.handshakesPerSourceMax = 8
      } else {
        limits.handshakeCountMax = 8
      }
    } _: { test in
      let loop = test.clientLoops.loops[0]
      // The beginning of a record that holds a client's hello, and no more of it.
      let peers = (0..<60).map { _ in RawPeer(to: test.address, on: loop, sending: [0x16, 3, 1]) }
      #expect(await test.eventually { peers.count { $0.connected.value == 1 } == 60 })
      let echoed = try await test.rich.echo(Rich(number: 1))
      #expect(echoed == Rich(number: 1))
      // Twice as many are left alone for a moment.
      #expect(await test.eventually { peers.count { $0.closed.value == 1 } >= 60 - 16 })
      let metrics = test.server.core.observer.metrics
      let name = bySource ? "handshakes_per_source" : "handshakes"
      #expect(metrics.limitReached(name).value >= 44)
      let held = test.server.core.held
      #expect(held.byteCount(.sessions) <= 18 * TLSTransport.handshakeByteCount)
      for peer in peers { peer.close() }
      let isFree = await test.eventually {
        held.byteCount(.sessions) == TLSTransport.openByteCount
      }
      #expect(isFree, "\(held.byteCount(.sessions)) bytes for one connection")
    }
  }
}
