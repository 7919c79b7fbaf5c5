// Fuzz target: a byte stream from a client behind its preface, read by a session and answered with an echo.
@testable import RPCKit
@testable import RPCKitHTTP

/// What must hold of any bytes that arrive on a connection, however they were split.
enum HTTP2Properties {
  /// One thing that a session found.
  private enum Seen: Equatable {
    case head(UInt32, String, HTTPFields, isTooLarge: Bool)
    case content(UInt32, [UInt8])
    case end(UInt32, HTTPFields?)
    case reset(UInt32)

    var stream: UInt32 {
      switch self {
      case .head(let id, _, _, _), .content(let id, _), .end(let id, _), .reset(let id): id
      }
    }

    var isReset: Bool {
      if case .reset = self { true } else { false }
    }
  }

  private static let preface =
    Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]

  static func check(_ input: [UInt8]) {
    let bytes = preface + input
    var (whole, _) = events(of: bytes) { _ in bytes.count }
    var (inPieces, isReading) = events(of: bytes) { 1 + Int(bytes[$0]) % 23 }
    // A stream that is opened and reset in one read is never begun.
    let reset = Set((whole + inPieces).filter(\.isReset).map(\.stream))
    whole.removeAll { reset.contains($0.stream) }
    inPieces.removeAll { reset.contains($0.stream) }
    // A client that takes its leave is not read any further once its streams are closed, but what it sent along
    // in the same read is.
    precondition(
      isReading ? whole == inPieces : whole.starts(with: inPieces),
      "the split of the input changes what is understood"
    )
    echo(bytes)
  }

  private static func session() -> HTTP2Session {
    var limits = HTTPLimits()
    limits.fieldByteCountMax = 512
    limits.fieldCountMax = 8
    limits.streamCountMax = 4
    return HTTP2Session(limits, streamWindowByteCount: 1000, now: MonotonicInstant(nanoseconds: 0))
  }

  /// What a session finds, and whether it would read on.
  private static func events(
    of bytes: [UInt8],
    pieceByteCount: (Int) -> Int
  ) -> (seen: [Seen], isReading: Bool) {
    let session = session()
    var seen: [Seen] = []
    var start = 0
    while start < bytes.count {
      let piece = Array(bytes[start..<min(bytes.count, start + max(1, pieceByteCount(start)))])
      start += piece.count
      let isUnderstood = session.receive(piece.span, now: MonotonicInstant(nanoseconds: 0))
      session.takeEvents { note($0, piece, session, &seen) }
      guard isUnderstood else { break }
    }
    return (seen, session.isReading)
  }

  private static func note(
    _ event: HTTP2Event,
    _ piece: [UInt8],
    _ session: HTTP2Session,
    _ seen: inout [Seen]
  ) {
    switch event {
    case .head(let id):
      guard let block = session.stream(id)?.request else { return }
      let head = try? block.head?.get()
      let fields = head?.fields ?? block.fields
      precondition(block.isTooLarge || fields.byteCount <= 512, "fields beyond the limit")
      seen.append(.head(id, head?.path ?? block.path, fields, isTooLarge: block.isTooLarge))
    case .content(let id, let offset, let count):
      let bytes = Array(piece[offset..<offset + count])
      if case .content(id, let before) = seen.last {
        seen[seen.count - 1] = .content(id, before + bytes)
      } else if count > 0 {
        seen.append(.content(id, bytes))
      }
    case .end(let id): seen.append(.end(id, session.stream(id)?.requestTrailers?.fields))
    case .reset(let id): seen.append(.reset(id))
    case .answered, .unsendable, .closed, .pong: break
    }
  }

  /// Answers every request with what it brings, as a connection does.
  private static func echo(_ bytes: [UInt8]) {
    let session = session()
    var output = ByteBuffer()
    var start = 0
    while start < bytes.count {
      let piece = Array(bytes[start..<min(bytes.count, start + 1 + Int(bytes[start]))])
      start += piece.count
      guard session.receive(piece.span, now: MonotonicInstant(nanoseconds: 0)) else { return }
      session.takeEvents { answer($0, piece, session) }
      guard session.send(into: &output, now: MonotonicInstant(nanoseconds: 0)) else { return }
      precondition(output.byteCount <= HTTP2Session.outputByteCount + (32 << 10), "output grows")
      precondition(session.heldByteCount >= 0, "more is sent than was written")
      output.consume(output.byteCount)
      session.takeEvents { answer($0, [], session) }
    }
    session.dropAll()
    precondition(session.heldByteCount == 0, "dropped content still counts")
  }

  private static func answer(_ event: HTTP2Event, _ piece: [UInt8], _ session: HTTP2Session) {
    switch event {
    case .head(let id):
      guard let block = session.stream(id)?.request else { return }
      let head = try? block.head?.get()
      session.respond(
        id,
        HTTPResponseHead(status: head == nil ? 400 : 200, fields: head?.fields ?? block.fields),
        date: "Sun, 06 Nov 1994 08:49:37 GMT",
        isEnd: head == nil || block.isEnd
      )
    case .content(let id, let offset, let count):
      session.consumeConnection(count)
      session.write(id) { $0.append(piece.span.extracting(offset..<offset + count)) }
      session.consume(count, id)
    case .end(let id):
      session.finish(id, trailers: session.stream(id)?.requestTrailers?.fields ?? [:])
    case .answered(let id):
      if session.stream(id)?.isRequestEnded == false { session.reset(id, .noError) }
    case .unsendable(let id): session.reset(id, .internalError)
    case .reset, .closed, .pong: break
    }
  }
}

#if FUZZING
/// Feeds one input to the checks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTP2(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  HTTP2Properties.check(unsafe Array(UnsafeBufferPointer(start: data, count: count)))
  return 0
}
#endif
