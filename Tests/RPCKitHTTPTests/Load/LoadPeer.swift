import RPCKit
import Synchronization

/// A server whose answers are bytes that a test writes.
///
/// Loop only, but for `requests`.
final class LoadPeer: Sendable {
  /// How the server answers what arrived on one of its connections.
  enum Answer: Sendable {
    case nothing
    case bytes([UInt8])
    case text(String)
    /// Bytes, and the end of the connection.
    case last(String)
  }

  typealias Script = @Sendable (_ connection: Int, _ arrival: Int, [UInt8]) -> Answer

  /// One connection.
  private final class Connection: TransportReceiver {
    private let transport: any Transport
    private let number: Int
    private var arrivalCount = 0
    private let peer: LoadPeer
    private var output = ByteBuffer()

    init(_ transport: any Transport, _ number: Int, _ peer: LoadPeer) {
      self.transport = transport
      self.number = number
      self.peer = peer
    }

    func transportConnected() {}

    func transportReceived(_ bytes: Span<UInt8>) {
      let arrived = (0..<bytes.count).map { bytes[$0] }
      peer.arrivals.withLock { $0.append(String(decoding: arrived, as: UTF8.self)) }
      var isLast = false
      switch peer.script(number, arrivalCount, arrived) {
      case .nothing: break
      case .bytes(let bytes): output.append(bytes.span)
      case .text(let text): output.append(Array(text.utf8).span)
      case .last(let text):
        output.append(Array(text.utf8).span)
        isLast = true
      }
      arrivalCount += 1
      transport.write(from: &output)
      if isLast { transport.closeOutput() }
    }

    func transportReceivedEnd() { transport.close() }
    func transportBecameWritable() { transport.write(from: &output) }
    func transportClosed(_ error: TransportError?) {}
  }

  private let script: Script
  private let arrivals = Mutex<[String]>([])
  private let connectionCount = Atomic<Int>(0)

  private init(_ script: @escaping Script) {
    self.script = script
  }

  /// Serves while `body` runs; returns its result and what arrived.
  static func serving<Result: Sendable>(
    _ script: @escaping Script,
    _ body: (SocketAddress) async throws -> Result
  ) async throws -> (Result, arrivals: [String]) {
    let loop = try EpollEventLoop(name: "load-peer")
    defer { loop.stop() }
    let peer = LoadPeer(script)
    let listener = try await SocketNetwork().listen(at: .ipv4([127, 0, 0, 1], port: 0), on: loop) {
      incoming in
      let number = peer.connectionCount.wrappingAdd(1, ordering: .relaxed).oldValue
      let transport = incoming.open(on: loop)
      transport.start(Connection(transport, number, peer))
    }
    let result = try await body(listener.address)
    listener.close()
    return (result, peer.arrivals.withLock { $0 })
  }
}
