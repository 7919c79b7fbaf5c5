import TestingContracts
import Testing

@testable import RPCKit

/// A server that ends connections whose clients read slowly and send all the time.
@Suite("Slow readers over sockets", .timeLimit(.minutes(2)))
struct SlowReaderTests {
  /// What the answers travel over.
  struct Wire: Sendable, CustomTestStringConvertible {
    let kind: SocketKind
    var usesTLS = false
    var isExtended = false

    var testDescription: String {
      "\(kind)\(usesTLS ? ", TLS" : "")\(isExtended ? ", extended" : "")"
    }

    static let all = [
      Wire(kind: .tcp), Wire(kind: .tcp, isExtended: true), Wire(kind: .tcp, usesTLS: true),
      Wire(kind: .tcp, usesTLS: true, isExtended: true), Wire(kind: .unix),
    ]
  }

  @Test("A drain loses no answer that was made", arguments: Wire.all)
  func drain_slowReaders_loseNoAnswer(wire: Wire) async throws {
    let executed = Tally()
    let answer = Rich(byteCount: 64 << 10)
    let handler = RichHandler(onEcho: { _, call in
      await call.loop.sleep(.milliseconds(1))
      executed.add()
      return answer
    })
    let certificates = try TestCertificates.shared.get()
    let server = try TLSContextSource(certificates.serverConfiguration())
    let client = try TLSContextSource(certificates.clientConfiguration())
    let loops = try EventLoopGroup.epoll(count: 2)
    let folder = try SocketFolder()
    let address = wire.kind.address(in: folder)
    var configuration = ServerConfiguration(
      endpoints: [wire.usesTLS ? .init(address, tls: server) : .init(address)]
    )
    configuration.admission.isAdaptive = false
    let serving = Server(configuration, services: [handler.definition], on: loops)
    let clientLoops = try EventLoopGroup.epoll(count: 1)
    let loop = clientLoops.loops[0]
    let readers = try await serving.serving { running in
      let address = try #require(running.addresses.first)
      let readers = (0..<2).map { _ in
        SlowReader(
          to: address,
          on: loop,
          wrap: { transport in
            guard wire.usesTLS else { return transport }
            return try TLSTransport(
              over: transport,
              context: client.current,
              expectedHost: "server.test"
            )
          },
          opening: wire.isExtended ? HostilePeerTests.hello : [],
          count: 200,
          pause: .milliseconds(2),
          request: { HostilePeerTests.request(Rich(number: 1), id: $0) }
        )
      }
      // In the middle of it: much is answered, little of that is read.
      while executed.value < 60 { await loop.sleep(.milliseconds(1)) }
      return readers
    }
    #expect(serving.connectionCount == 0)
    while readers.contains(where: { $0.closed.value == 0 }) { await loop.sleep(.milliseconds(1)) }
    #expect(readers.reduce(0) { $0 + $1.answered.value } == executed.value)
    #expect(executed.value >= 60)
    #expect(readers.allSatisfy { $0.sawEnd.value == 1 })
    clientLoops.stop()
    loops.stop()
  }
}
