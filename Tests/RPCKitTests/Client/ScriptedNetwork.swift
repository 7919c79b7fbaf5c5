import Synchronization

@testable import RPCKit

/// A network in memory on a manual loop: each connection is played by the test.
///
/// `@unchecked Sendable`: used by one test on one manual loop.
final class ScriptedNetwork: Network, @unchecked Sendable {
  /// Every connection that was asked for, in order.
  private(set) var peers: [ScriptedPeer] = []
  /// What connecting does: the next outcome, or `connect` when none is left.
  var outcomes: [Outcome] = []
  /// What names resolve to, one answer for each question, the last forever.
  var resolutions: [Result<[SocketAddress], TransportError>] = []
  private(set) var resolveCount = 0

  enum Outcome {
    case connect
    case refuse
    /// Never answers.
    case hang
  }

  func listen(
    at address: SocketAddress,
    on loop: any EventLoop,
    options: ListenOptions,
    accepted: @escaping @Sendable (any IncomingConnection) -> Void
  ) async throws -> any Listener { preconditionFailure("clients do not listen") }

  func connect(to address: SocketAddress, on loop: any EventLoop) -> any Transport {
    let peer = ScriptedPeer(
      address,
      loop,
      outcomes.isEmpty ? .connect : outcomes.removeFirst()
    )
    peers.append(peer)
    return peer
  }

  func resolve(host: String, port: UInt16) async throws -> [SocketAddress] {
    resolveCount += 1
    precondition(!resolutions.isEmpty, "the test did not say what names resolve to")
    return try (resolutions.count > 1 ? resolutions.removeFirst() : resolutions[0]).get()
  }
}

/// The other end of one connection, which the test plays: it looks at what the client sent and says
/// what the server answers.
final class ScriptedPeer: Transport, TurnEndTarget {
  /// A frame that the client sent.
  struct Frame {
    var header: FrameHeader
    var payload: [UInt8]

    var type: FrameType { header.type }
    var id: UInt32 { header.streamID.rawValue }
    var flags: UInt8 { header.flags.rawValue }

    var request: RequestEnvelope? { try? RequestEnvelope(payload.span, in: 0..<payload.count) }

    /// The text of a Request's message.
    var requestText: String {
      String(decoding: payload[request?.payload ?? 0..<0], as: UTF8.self)
    }

    var text: String { String(decoding: payload, as: UTF8.self) }

    var metadata: Metadata {
      (try? request?.metadata(payload.span)) ?? Metadata()
    }
  }

  let address: SocketAddress
  let loop: any EventLoop
  let peer: Peer
  private let outcome: ScriptedNetwork.Outcome
  private var receiver: (any TransportReceiver)?
  private var received: [UInt8] = []
  private(set) var isClosedByClient = false
  private(set) var isReading = true
  private var closing: TransportError??
  /// Bytes that are taken before the stream is full; the test adds more with `takeMore`.
  var room = Int.max

  init(_ address: SocketAddress, _ loop: any EventLoop, _ outcome: ScriptedNetwork.Outcome) {
    self.address = address
    self.loop = loop
    self.outcome = outcome
    peer = Peer(address: address.description)
  }

  // MARK: - Transport

  func start(_ receiver: any TransportReceiver) {
    self.receiver = receiver
    if outcome != .hang { loop.atEndOfTurn(self) }
  }

  func handOver(to receiver: any TransportReceiver) { self.receiver = receiver }

  func turnEnded() {
    if let error = closing {
      closing = nil
      let receiver = receiver
      self.receiver = nil
      receiver?.transportClosed(error)
      return
    }
    if outcome == .refuse {
      closing = .some(TransportError(.connectFailed, "connection refused"))
      turnEnded()
    } else {
      receiver?.transportConnected()
    }
  }

  func write(from output: inout ByteBuffer) {
    let count = min(room, output.byteCount)
    if room != .max { room -= count }
    output.withBytes { received += [UInt8]($0.extracting(0..<count)) }
    output.consume(count)
  }

  func setReading(_ isReading: Bool) { self.isReading = isReading }
  func closeOutput() {}

  func close() {
    guard !isClosedByClient else { return }
    isClosedByClient = true
    closing = .some(nil)
    loop.atEndOfTurn(self)
  }

  // MARK: - The script

  /// Frames that the client sent since the last look.
  func frames() -> [Frame] {
    var frames: [Frame] = []
    var offset = 0
    while received.count - offset >= 10 {
      let header = FrameHeader(received.span, at: offset)
      let end = offset + 10 + header.payloadByteCount
      guard received.count >= end else { break }
      frames.append(Frame(header: header, payload: Array(received[offset + 10..<end])))
      offset = end
    }
    received.removeFirst(offset)
    return frames
  }

  /// Frames other than HELLO since the last look.
  func calls() -> [Frame] { frames().filter { $0.type != .hello } }

  func send(_ write: (inout ByteBuffer) -> Void) {
    var bytes = ByteBuffer()
    write(&bytes)
    bytes.withBytes { receiver?.transportReceived($0) }
  }

  func send(_ type: FrameType, _ id: UInt32, flags: UInt8 = 0, _ payload: [UInt8] = []) {
    send { buffer in
      FrameHeader(
        payloadByteCount: payload.count,
        streamID: StreamID(rawValue: id),
        type: type,
        flags: FrameFlags(rawValue: flags)
      ).append(to: &buffer)
      buffer.append(payload.span)
    }
  }

  func hello(_ change: (inout ConnectionSettings) -> Void = { _ in }) {
    var settings = ConnectionSettings()
    change(&settings)
    send { settings.appendFrame(to: &$0) }
  }

  func respond(_ id: UInt32, _ text: String, metadata: Metadata = [:]) {
    send { buffer in
      ResponseEnvelope.appendSuccessPrefix(
        to: &buffer,
        streamID: StreamID(rawValue: id),
        flags: [],
        metadata: metadata,
        payloadByteCount: text.utf8.count
      )
      buffer.append(utf8: text)
    }
  }

  func respond(_ id: UInt32, _ error: RPCError) {
    send {
      ResponseEnvelope.appendError(to: &$0, streamID: StreamID(rawValue: id), error: error)
    }
  }

  func message(_ id: UInt32, _ text: String, isLast: Bool = false) {
    send(.data, id, flags: isLast ? 1 : 0, Array(text.utf8))
  }

  func endStream(_ id: UInt32) { send(.data, id, flags: 5) }

  func goAway(lastAccepted: UInt32) {
    send { ControlFrame.appendGoAway(to: &$0, lastAccepted: lastAccepted) }
  }

  func credit(_ id: UInt32, _ byteCount: Int) {
    send {
      ControlFrame.appendCredit(
        to: &$0,
        streamID: StreamID(rawValue: id),
        byteCount: byteCount
      )
    }
  }

  func loseConnection() {
    let receiver = receiver
    self.receiver = nil
    receiver?.transportClosed(TransportError(.connectionLost, "reset"))
  }

  func takeMore(_ byteCount: Int) {
    room = byteCount
    receiver?.transportBecameWritable()
  }
}
