@testable import RPCKit

/// One end of a connection in memory; nothing moves before `MemoryLink.step`.
final class MemoryTransport: Transport {
  let loop: any EventLoop
  let peer: Peer
  /// Bytes that `write` takes before it pushes back.
  var capacity = 64 * 1024

  fileprivate var receiver: (any TransportReceiver)?
  fileprivate var outgoing = ByteBuffer()
  fileprivate var isReading = true
  fileprivate var isRoomWanted = false
  fileprivate var isOutputClosed = false
  fileprivate var isEndDelivered = false
  fileprivate var isClosing = false
  fileprivate var closeError: TransportError?
  private(set) var isClosed = false

  init(loop: any EventLoop, address: String) {
    self.loop = loop
    peer = Peer(address: address)
  }

  /// Bytes that wait to be carried to the other end.
  var outgoingByteCount: Int { outgoing.byteCount }

  func start(_ receiver: any TransportReceiver) {
    self.receiver = receiver
  }

  func handOver(to receiver: any TransportReceiver) { self.receiver = receiver }

  func connect() {
    receiver?.transportConnected()
  }

  func write(from output: inout ByteBuffer) {
    guard !isOutputClosed, !isClosing else { return }
    let count = max(0, min(output.byteCount, capacity - outgoing.byteCount))
    output.withBytes { outgoing.append($0.extracting(first: count)) }
    output.consume(count)
    isRoomWanted = !output.isEmpty
  }

  func setReading(_ isReading: Bool) {
    self.isReading = isReading
  }

  func closeOutput() {
    isOutputClosed = true
  }

  func close() {
    isClosing = true
    isOutputClosed = true
  }

  /// The connection breaks.
  func breakDown(_ error: TransportError) {
    closeError = error
    close()
  }

  fileprivate func finishClosing() -> Bool {
    guard isClosing, !isClosed else { return false }
    isClosed = true
    let receiver = receiver
    self.receiver = nil
    receiver?.transportClosed(closeError)
    return true
  }
}

/// Carries bytes between two ends, as much at a time as the test says.
final class MemoryLink {
  let left: MemoryTransport
  let right: MemoryTransport
  var chunkByteCount = Int.max
  /// Sees the bytes on their way, and can change them.
  var onBytes: (([UInt8]) -> [UInt8])?

  init(loop: any EventLoop) {
    left = MemoryTransport(loop: loop, address: "left")
    right = MemoryTransport(loop: loop, address: "right")
  }

  /// Lets go of both receivers, which would otherwise keep each other alive.
  func abandon() {
    left.receiver = nil
    right.receiver = nil
    onBytes = nil
  }

  /// Moves one chunk each way; false when nothing moved.
  func step() -> Bool {
    // An end that broke says so before it notices what its peer does about it.
    let moved = [
      left.finishClosing(), right.finishClosing(), carry(left, right), carry(right, left),
    ]
    return moved.contains(true)
  }

  private func carry(_ source: MemoryTransport, _ target: MemoryTransport) -> Bool {
    if target.isClosed {
      source.outgoing.release()
      return false
    }
    guard target.isReading else { return false }
    let count = min(source.outgoing.byteCount, chunkByteCount)
    if count > 0 {
      var bytes = source.outgoing.withBytes { waiting in
        unsafe waiting.extracting(first: count).withUnsafeBytes { unsafe [UInt8]($0) }
      }
      source.outgoing.consume(count)
      if source.outgoing.isEmpty { source.outgoing.release() }
      if let onBytes { bytes = onBytes(bytes) }
      target.receiver?.transportReceived(bytes.span)
      if source.isRoomWanted, source.outgoing.byteCount < source.capacity {
        source.isRoomWanted = false
        source.receiver?.transportBecameWritable()
      }
      return true
    }
    if source.isOutputClosed, !source.isEndDelivered {
      source.isEndDelivered = true
      target.receiver?.transportReceivedEnd()
      return true
    }
    return false
  }
}
