internal import RPCKit

/// Calls by HTTP/1.1 on a connection that is kept: one after another.
///
/// Loop only.
final class HTTP1Caller: LoadCaller, TransportReceiver {
  private enum Phase {
    case connecting
    case open
    case closed
  }

  private let transport: any Transport
  private let call: HTTPCall
  private let timeoutNanoseconds: Int64?
  private var delegate: (any LoadCallerDelegate)?
  private var phase = Phase.connecting
  private var output = ByteBuffer()
  private var reader: HTTP1AnswerReader
  private var token: UInt64?
  private var deadline = MonotonicInstant.distantFuture
  /// The bytes of a head in front of a path that differs, and behind it up to the length of the content.
  private let begin: [UInt8]
  private let rest: [UInt8]

  private static let lengthName = Array("content-length: ".utf8)
  private static let lineEnd: [UInt8] = [13, 10]

  init(_ transport: any Transport, _ call: HTTPCall) {
    self.transport = transport
    self.call = call
    timeoutNanoseconds = call.timeout?.nanosecondsSaturated
    reader = HTTP1AnswerReader(isHead: call.method == "HEAD")
    begin = Array("\(call.method) \(call.path ?? "")".utf8)
    let fields = call.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    rest = Array(" HTTP/1.1\r\nhost: \(call.authority)\r\n\(fields)".utf8)
  }

  // MARK: - Calls

  func send(path: Span<UInt8>, payload: Span<UInt8>, token: UInt64) -> Bool {
    guard phase == .open, self.token == nil else { return false }
    self.token = token
    if let timeoutNanoseconds {
      deadline = transport.loop.now.advanced(by: .nanoseconds(timeoutNanoseconds))
    }
    let (begin, rest) = (begin, rest)
    output.append(begin.span)
    output.append(path)
    output.append(rest.span)
    if !payload.isEmpty || (call.method != "GET" && call.method != "HEAD") {
      output.append(Self.lengthName.span)
      appendDecimal(payload.count)
      output.append(Self.lineEnd.span)
    }
    output.append(Self.lineEnd.span)
    output.append(payload)
    transport.write(from: &output)
    return true
  }

  private func appendDecimal(_ number: Int) {
    var power = 1
    while power <= number / 10 { power *= 10 }
    while power > 0 {
      output.append(UInt8(ascii: "0") + UInt8(number / power % 10))
      power /= 10
    }
  }

  func endLateCalls() {
    guard token != nil, deadline <= transport.loop.now else { return }
    // The answer would be taken for that of the next call.
    phase = .closed
    endCall(.failed(.deadlineExceeded), "no answer in time")
    delegate.take()?.callerClosed(
      TransportError(.connectionLost, "given up with a call that had no answer in time")
    )
    transport.close()
  }

  // MARK: - The connection

  func start(_ delegate: any LoadCallerDelegate) {
    self.delegate = delegate
    transport.start(self)
  }

  func transportConnected() {
    guard phase == .connecting else { return }
    phase = .open
    delegate?.callerReady()
  }

  func transportReceived(_ bytes: Span<UInt8>) {
    guard phase == .open else { return }
    guard token != nil else { return lose("the server sent something that nobody asked for") }
    switch reader.read(bytes) {
    case .waiting: break
    case .complete: answered()
    case .broken(let problem): lose("the server breaks HTTP/1.1: \(problem)")
    }
  }

  private func answered() {
    guard let token = token.take() else { return }
    let end: CallEnd =
      (200..<300).contains(reader.status) ? .succeeded : .answered(status: reader.status)
    let isLast = reader.isLast
    if isLast { phase = .closed }
    // Out of the object while it is shown, as the next call may begin.
    var content = ByteBuffer()
    reader.take(content: &content)
    content.withBytes { delegate?.callEnded(token, end, $0) }
    reader.give(back: &content)
    guard isLast else { return }
    delegate.take()?.callerClosed(
      TransportError(.connectionLost, "the server closed the connection behind an answer")
    )
    transport.close()
  }

  func transportReceivedEnd() {
    guard phase == .open else { return }
    guard token != nil, reader.end() else { return lose("the server closed the connection") }
    answered()
  }

  func transportBecameWritable() {
    guard phase == .open else { return }
    transport.write(from: &output)
  }

  func transportClosed(_ error: TransportError?) {
    guard phase != .closed else { return }
    end(error ?? TransportError(.connectionLost, "it was closed"))
  }

  func close() {
    guard phase != .closed else { return }
    end(nil)
    transport.close()
  }

  private func lose(_ problem: String) {
    guard phase != .closed else { return }
    end(TransportError(.connectionLost, problem))
    transport.close()
  }

  private func end(_ error: TransportError?) {
    phase = .closed
    endCall(.failed(.unavailable), error?.description ?? "")
    delegate.take()?.callerClosed(error)
  }

  private func endCall(_ end: CallEnd, _ text: String) {
    guard let token = token.take() else { return }
    delegate?.callEnded(token, end, Array(text.utf8).span)
  }
}
