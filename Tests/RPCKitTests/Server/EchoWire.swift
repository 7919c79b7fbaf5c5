@testable import RPCKit

/// A wire for tests of how wires are told apart: a connection that begins with `ECHO` gets back what it sends.
struct EchoWire: ServerWire {
  static let opening = Array("ECHO".utf8)

  var applicationProtocols: [String] { ["echo"] }

  func recognition(of first: Span<UInt8>) -> WireRecognition {
    let count = min(first.count, Self.opening.count)
    guard (0..<count).allSatisfy({ first[$0] == Self.opening[$0] }) else { return .other }
    return count == Self.opening.count ? .recognized : .undecided
  }

  func makeConnection(
    over transport: any Transport,
    _ first: Span<UInt8>,
    core: ServerCore,
    resources: LoopResources
  ) -> any ServedConnection {
    EchoConnection(transport, core: core, resources: resources)
  }
}

/// A connection that sends back what comes, and says `drained` when the server drains.
private final class EchoConnection: CallHost, ServedConnection, @unchecked Sendable {
  private var output = ByteBuffer()

  func start() {}
  func transportConnected() {}

  func transportReceived(_ bytes: Span<UInt8>) {
    output.append(bytes)
    transport?.write(from: &output)
  }

  func transportReceivedEnd() { close(.peer) }
  func transportBecameWritable() { transport?.write(from: &output) }
  func transportClosed(_ error: TransportError?) { lose() }

  func drain() {
    output.append(Array("drained".utf8).span)
    transport?.write(from: &output)
    close(.drained)
  }

  func endResponseStreams() {}

  func close(_ reason: ConnectionCloseReason) {
    closeReason = reason
    transport?.closeOutput()
    transport?.close()
    lose()
  }

  func lost() {}
  func timerFired(_ token: UInt64) {}

  var isIdle: Bool { true }
  var census: ConnectionCensus { ConnectionCensus() }
  func evict() { close(.idle) }
  func burden(_ sort: HeldSort) -> Double { 0 }
}
