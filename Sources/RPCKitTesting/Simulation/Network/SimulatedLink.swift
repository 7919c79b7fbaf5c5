import RPCKit

/// One connection of a simulated network: what is in flight in both directions.
///
/// Pieces of a direction arrive in the order they were sent. A silent link holds everything back
/// and loses nothing, as TCP does while it retransmits. An end that closes although bytes have come
/// that it did not read, or still come, resets the connection and loses what it has not sent yet
/// itself (RFC 2525, section 2.17).
final class SimulatedLink {
  /// One of the two ends.
  enum End: Int {
    case client
    case server

    var other: End { self == .client ? .server : .client }
  }

  /// A piece that travels.
  enum Piece {
    case bytes([UInt8])
    case end
    case reset
  }

  private struct Direction {
    var pieces: [(arrival: Int64, piece: Piece)] = []
    var lastArrival: Int64 = 0
    /// The end of stream was sent: only a reset may follow.
    var isEnded = false
    /// A reset was sent: nothing may follow.
    var isReset = false
    /// The end that receives has closed.
    var isReceiverGone = false
  }

  let number: Int
  let address: SocketAddress
  /// Bytes that may be in flight or unread in one direction.
  let windowByteCount: Int

  private let network: SimulatedNetwork
  private var ends: [SimulatedTransport?] = [nil, nil]
  /// Indexed by the end that receives.
  private var directions = [Direction(), Direction()]
  private var isSilent = false

  init(number: Int, address: SocketAddress, network: SimulatedNetwork) {
    self.number = number
    self.address = address
    self.network = network
    windowByteCount = network.simulation.random.skewedNumber(in: network.faults.windowByteCount)
  }

  func attach(_ transport: SimulatedTransport, as end: End) {
    ends[end.rawValue] = transport
    // What came before somebody was there to take it.
    deliver(to: end)
  }

  // MARK: - Sending

  /// Sends bytes to `end`, in pieces of random size.
  func send(_ bytes: [UInt8], to end: End) {
    var rest = bytes[...]
    var pieceCount = 0
    while !rest.isEmpty {
      pieceCount += 1
      let size = network.simulation.random.skewedNumber(in: network.faults.pieceByteCount)
      let isLast = pieceCount >= network.faults.piecesPerWriteMax
      let count = isLast ? rest.count : min(rest.count, max(1, size))
      enqueue(.bytes(Array(rest.prefix(count))), to: end)
      rest = rest.dropFirst(count)
    }
    strike()
  }

  /// Sends the end of stream to `end`.
  func sendEnd(to end: End) { enqueue(.end, to: end) }

  /// Sends a reset to `end`.
  func sendReset(to end: End) { enqueue(.reset, to: end) }

  /// Bytes on their way to `end`.
  func inFlightByteCount(to end: End) -> Int {
    directions[end.rawValue].pieces.reduce(0) { sum, piece in
      if case .bytes(let bytes) = piece.piece { return sum + bytes.count }
      return sum
    }
  }

  /// `end` gives the connection up; what it has written stays behind, but for a random part that is
  /// on its way already.
  private func reset(from end: End) {
    let other = end.other
    guard !directions[other.rawValue].isReset else { return }
    let count = directions[other.rawValue].pieces.count
    let kept = network.simulation.random.number(in: 0...count)
    directions[other.rawValue].pieces.removeLast(count - kept)
    sendReset(to: other)
  }

  private func enqueue(_ piece: Piece, to end: End) {
    switch piece {
    case .bytes, .end:
      guard !directions[end.rawValue].isEnded, !directions[end.rawValue].isReset else { return }
      if case .end = piece { directions[end.rawValue].isEnded = true }
    case .reset:
      guard !directions[end.rawValue].isReset else { return }
      directions[end.rawValue].isReset = true
    }
    let travel = network.simulation.random.duration(in: network.faults.latency)
    let arrival = max(
      directions[end.rawValue].lastArrival + 1,
      network.simulation.now.advanced(by: travel).nanoseconds
    )
    directions[end.rawValue].lastArrival = arrival
    directions[end.rawValue].pieces.append((arrival, piece))
    look(at: arrival, end)
  }

  private func look(at time: Int64, _ end: End) {
    guard let loop = (ends[end.rawValue] ?? ends[end.other.rawValue])?.simulatedLoop else { return }
    network.simulation.schedule(at: time, on: loop) { [self] in deliver(to: end) }
  }

  // MARK: - Arriving

  private func deliver(to end: End) {
    let now = network.simulation.now.nanoseconds
    while !isSilent, let first = directions[end.rawValue].pieces.first, first.arrival <= now {
      guard ends[end.rawValue] != nil || directions[end.rawValue].isReceiverGone else { return }
      directions[end.rawValue].pieces.removeFirst()
      if directions[end.rawValue].isReceiverGone {
        // Nobody is there, which the sender learns by a reset (RFC 9293, section 3.10.7).
        if case .bytes = first.piece { reset(from: end) }
      } else {
        ends[end.rawValue]?.arrived(first.piece)
      }
    }
  }

  /// Notes that `end` has closed: what still arrives there is answered with a reset.
  func close(_ end: End, hadUnreadBytes: Bool) {
    directions[end.rawValue].isReceiverGone = true
    if hadUnreadBytes { reset(from: end) } else { sendEnd(to: end.other) }
    ends[end.rawValue] = nil
    if ends[end.other.rawValue] == nil, directions[end.other.rawValue].isReceiverGone {
      network.closed(self)
    }
  }

  /// An end that was never taken over.
  func abandon(_ end: End) { close(end, hadUnreadBytes: false) }

  /// `end` has consumed bytes: the other may have room.
  func consumed(by end: End, byteCount: Int) {
    guard let writer = ends[end.other.rawValue] else { return }
    // The acknowledgement travels too; a silent link swallows it until it heals.
    let travel = network.simulation.random.duration(in: network.faults.latency)
    network.simulation.schedule(after: travel, on: writer.simulatedLoop) { [self] in
      if isSilent {
        unacknowledged[end.other.rawValue] += byteCount
      } else {
        writer.acknowledged(byteCount)
      }
    }
  }

  private var unacknowledged = [0, 0]

  // MARK: - Faults

  private func strike() {
    if network.simulation.random.chance(network.faults.cut) { cut() }
    if network.simulation.random.chance(network.faults.silence), !isSilent {
      silence()
      let span = network.simulation.random.duration(in: network.faults.silenceDuration)
      guard let loop = (ends[0] ?? ends[1])?.simulatedLoop else { return }
      network.simulation.schedule(after: span, on: loop) { [self] in heal() }
    }
  }

  /// Breaks the connection: in both directions some of what is in flight arrives, then a reset.
  func cut() {
    for end in [End.client, .server] {
      var direction = directions[end.rawValue]
      let count = direction.pieces.count
      let kept = network.simulation.random.number(in: 0...count)
      var survivors = Array(direction.pieces.prefix(kept))
      if kept < count, case .bytes(let bytes) = direction.pieces[kept].piece {
        let part = network.simulation.random.number(in: 0...bytes.count)
        survivors.append((direction.pieces[kept].arrival, .bytes(Array(bytes.prefix(part)))))
      }
      survivors.removeAll { piece in
        if case .end = piece.piece { return true }
        return false
      }
      direction.pieces = survivors
      direction.isReset = false
      directions[end.rawValue] = direction
      sendReset(to: end)
    }
  }

  /// Holds everything back.
  func silence() { isSilent = true }

  /// Lets everything continue; what was held back arrives in order.
  func heal() {
    guard isSilent else { return }
    isSilent = false
    for end in [End.client, .server] {
      let byteCount = unacknowledged[end.rawValue]
      unacknowledged[end.rawValue] = 0
      if let writer = ends[end.rawValue], byteCount > 0 {
        network.simulation.schedule(after: .zero, on: writer.simulatedLoop) {
          writer.acknowledged(byteCount)
        }
      }
      let now = network.simulation.now.nanoseconds
      if let first = directions[end.rawValue].pieces.first {
        look(at: max(now, first.arrival), end)
      }
    }
  }
}
