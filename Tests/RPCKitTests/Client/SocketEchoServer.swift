@testable import RPCKit

/// A few lines of server on real sockets: answers each unary request with its payload, streams with
/// what they sent.
///
/// Not the library's server, so that the client is tested against frames alone.
final class SocketEchoServer: Sendable {
  let listener: any Listener

  var target: String { "tcp://\(listener.address)" }

  init(on loop: any EventLoop, speaksHello: Bool) async throws {
    listener = try await SocketNetwork().listen(
      at: .ipv4([127, 0, 0, 1], port: 0),
      on: loop
    ) { incoming in
      let transport = incoming.open(on: loop)
      transport.start(Connection(transport, speaksHello: speaksHello))
    }
  }

  private final class Connection: TransportReceiver {
    private let transport: any Transport
    private let speaksHello: Bool
    private var input: [UInt8] = []
    private var output = ByteBuffer()

    init(_ transport: any Transport, speaksHello: Bool) {
      self.transport = transport
      self.speaksHello = speaksHello
    }

    func transportConnected() {}

    func transportReceived(_ bytes: Span<UInt8>) {
      input += [UInt8](bytes)
      var offset = 0
      while input.count - offset >= 10 {
        let header = FrameHeader(input.span, at: offset)
        let end = offset + 10 + header.payloadByteCount
        guard input.count >= end else { break }
        answer(header, offset + 10..<end)
        offset = end
      }
      input.removeFirst(offset)
      transport.write(from: &output)
    }

    private func answer(_ header: FrameHeader, _ range: Range<Int>) {
      switch header.type {
      case .hello where speaksHello:
        ConnectionSettings().appendFrame(to: &output)
      case .request where header.flags.isEmpty:
        guard let request = try? RequestEnvelope(input.span, in: range) else { return }
        let payload = request.payload ?? 0..<0
        ResponseEnvelope.appendSuccessPrefix(
          to: &output,
          streamID: header.streamID,
          flags: [],
          metadata: [:],
          payloadByteCount: payload.count
        )
        let bytes = Array(input[payload])
        output.append(bytes.span)
      case .data:
        FrameHeader(
          payloadByteCount: range.count,
          streamID: header.streamID,
          type: .data,
          flags: header.flags
        ).append(to: &output)
        let bytes = Array(input[range])
        output.append(bytes.span)
      default:
        break
      }
    }

    func transportReceivedEnd() { transport.close() }
    func transportBecameWritable() { transport.write(from: &output) }
    func transportClosed(_ error: TransportError?) {}
  }
}
