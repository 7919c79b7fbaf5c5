@testable import RPCKit

/// A client of raw frames over a real socket that reads slowly and never stops asking.
///
/// It counts answers by their status, and notes how the connection ended.
///
/// `@unchecked Sendable`: everything but the counters is touched on the loop only.
final class SlowReader: TransportReceiver, TimerTarget, @unchecked Sendable {
  /// Answers that are OK.
  let answered = Tally()
  /// Answers with an error.
  let refused = Tally()
  /// The server's end of stream came.
  let sawEnd = Tally()
  let closed = Tally()

  private let loop: any EventLoop
  private let request: (UInt32) -> [UInt8]
  private let pause: Duration
  private var transport: (any Transport)?
  private var output = ByteBuffer()
  private var decoder = FrameDecoder(
    payloadByteCountMax: 4 << 20,
    skippedByteCountMax: 16 << 20
  )
  private var nextID: UInt32 = 1

  /// Connects, sends `opening` and `count` requests, and one more for everything that it reads.
  ///
  /// Between two reads it pauses.
  init(
    to address: SocketAddress,
    on loop: any EventLoop,
    wrap: @escaping @Sendable (any Transport) throws -> any Transport = { $0 },
    opening: [UInt8],
    count: Int,
    pause: Duration,
    request: @escaping @Sendable (UInt32) -> [UInt8]
  ) {
    self.loop = loop
    self.request = request
    self.pause = pause
    output.append(opening.span)
    for _ in 0..<count { ask() }
    loop.execute { [self] in
      do {
        let transport = try wrap(SocketNetwork().connect(to: address, on: loop))
        self.transport = transport
        transport.start(self)
      } catch {
        closed.add()
      }
    }
  }

  private func ask() {
    let bytes = request(nextID)
    nextID += 2
    output.append(bytes.span)
  }

  func transportConnected() { push() }

  func transportReceived(_ bytes: Span<UInt8>) {
    var offset = 0
    loop: while true {
      switch decoder.next(bytes, &offset) {
      case .needMoreBytes, .oversize, .unskippable: break loop
      case .frame(let header, let payload): count(header, bytes, payload)
      case .gatheredFrame(let header):
        decoder.takeGathered().withBytes {
          count(header, $0, FrameHeader.byteCount..<$0.count)
        }
      }
    }
    ask()
    push()
    transport?.setReading(false)
    _ = self.loop.schedule(at: self.loop.now.advanced(by: pause), target: self, token: 0)
  }

  private func count(_ header: FrameHeader, _ bytes: Span<UInt8>, _ payload: Range<Int>) {
    guard header.type == .response else { return }
    // What cannot be read counts as no answer.
    guard let response = try? ResponseEnvelope(bytes, in: payload) else { return }
    (response.code == .ok ? answered : refused).add()
  }

  func timerFired(_ token: UInt64) { transport?.setReading(true) }

  func transportReceivedEnd() {
    sawEnd.add()
    transport?.close()
  }

  func transportBecameWritable() { push() }

  func transportClosed(_ error: TransportError?) {
    transport = nil
    closed.add()
  }

  private func push() { transport?.write(from: &output) }
}
