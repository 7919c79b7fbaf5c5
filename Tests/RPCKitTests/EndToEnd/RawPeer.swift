@testable import RPCKit

/// A client of raw bytes over a real socket: sends what it is told, reads or does not, and knows
/// whether the server closed the connection.
///
/// `@unchecked Sendable`: everything but the counters is touched on the loop only.
final class RawPeer: TransportReceiver, @unchecked Sendable {
  let received = Tally()
  let sent = Tally()
  let closed = Tally()
  let connected = Tally()
  private let bytes = Lock<[UInt8]>([])
  private var transport: (any Transport)?
  private var output = ByteBuffer()
  private let opening: [UInt8]
  /// Sent again and again for as long as the server takes it.
  private let flood: [UInt8]
  /// What to send of it at most, in bytes.
  private let floodByteCountMax: Int
  private let reads: Bool
  private let loop: any EventLoop

  init(
    to address: SocketAddress,
    on loop: any EventLoop,
    sending opening: [UInt8] = [],
    flooding flood: [UInt8] = [],
    upTo floodByteCountMax: Int = .max,
    reads: Bool = true
  ) {
    self.loop = loop
    self.opening = opening
    self.flood = flood
    self.floodByteCountMax = floodByteCountMax
    self.reads = reads
    loop.execute { [self] in
      let transport = SocketNetwork().connect(to: address, on: loop)
      self.transport = transport
      transport.start(self)
    }
  }

  /// What arrived so far, at most the first 64 KiB.
  var answer: [UInt8] { bytes.withLock { $0 } }

  func close() { loop.execute { [self] in transport?.close() } }

  func transportConnected() {
    connected.add()
    if !reads { transport?.setReading(false) }
    append(opening)
    push()
  }

  func transportReceived(_ bytes: Span<UInt8>) {
    received.add(bytes.count)
    let copy = [UInt8](bytes)
    self.bytes.withLock { if $0.count < 64 << 10 { $0 += copy } }
  }

  func transportReceivedEnd() { transport?.close() }

  func transportBecameWritable() { push() }

  func transportClosed(_ error: TransportError?) {
    transport = nil
    closed.add()
  }

  private func append(_ bytes: [UInt8]) { output.append(bytes.span) }

  private func push() {
    repeat {
      if output.isEmpty, floods { append(flood) }
      let waiting = output.byteCount
      transport?.write(from: &output)
      sent.add(waiting - output.byteCount)
      if output.isEmpty { output.release() }
    } while output.isEmpty && floods && closed.value == 0
  }

  private var floods: Bool { !flood.isEmpty && sent.value < floodByteCountMax }
}
