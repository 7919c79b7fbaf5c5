// Fuzz target: a byte stream from a client, taken for requests of HTTP/1.1.
@testable import RPCKitHTTP

/// What must hold of any bytes that arrive on a connection, however they were split.
enum HTTP1Properties {
  /// One request, or why there is none; of content only what it is in all.
  enum Seen: Equatable {
    case head(HTTP1Request)
    case content([UInt8])
    case end
    case rejected(HTTP1Rejection)
  }

  static func check(_ input: [UInt8]) {
    var limits = HTTPLimits()
    limits.requestLineByteCountMax = 128
    limits.fieldByteCountMax = 512
    limits.fieldCountMax = 8
    let whole = read(input, limits) { _ in input.count }
    let inPieces = read(input, limits) { 1 + Int(input[$0]) % 7 }
    precondition(whole == inPieces, "the split of the input changes what is understood")
    for seen in whole {
      guard case .head(let request) = seen else { continue }
      check(request, limits)
    }
  }

  /// What a head says is what is read when it is written again in the plainest way.
  private static func check(_ request: HTTP1Request, _ limits: HTTPLimits) {
    let head = request.head
    precondition(head.path == "*" || head.path.utf8.first == UInt8(ascii: "/"), "\(head.path)")
    precondition(head.fields.values("content-length").count <= 1)
    precondition(head.fields.byteCount <= limits.fieldByteCountMax)
    let version = head.version == .http1_0 ? "1.0" : "1.1"
    var text = "\(head.method) \(head.path)\(head.query.map { "?\($0)" } ?? "") HTTP/\(version)\r\n"
    if !head.authority.isEmpty { text += "Host: \(head.authority)\r\n" }
    if request.content == .chunked { text += "Transfer-Encoding: chunked\r\n" }
    if request.awaitsContinue { text += "Expect: 100-continue\r\n" }
    if !request.isPersistent, version == "1.1" { text += "Connection: close\r\n" }
    for field in head.fields.fields { text += "\(field.name): \(field.value)\r\n" }
    text += "\r\n"
    // The host of an absolute target was not in the fields, so it may be over the limits now.
    var ample = limits
    ample.fieldByteCountMax *= 2
    ample.fieldCountMax *= 2
    let again = read(Array(text.utf8), ample) { _ in text.utf8.count }
    precondition(again.first == .head(request), "a head is read in two ways")
  }

  /// Everything that comes of an input which arrives in pieces.
  static func read(
    _ input: [UInt8],
    _ limits: HTTPLimits = HTTPLimits(),
    pieceByteCount: (Int) -> Int
  ) -> [Seen] {
    var parser = HTTP1RequestParser(limits)
    var seen: [Seen] = []
    var start = 0
    while start < input.count {
      let end = min(input.count, start + max(1, pieceByteCount(start)))
      let piece = Array(input[start..<end])
      start = end
      var offset = 0
      var isAtEnd = false
      while !isAtEnd {
        let event = parser.next(piece.span, &offset)
        precondition(
          parser.heldByteCount <= 4 * (limits.fieldByteCountMax + limits.requestLineByteCountMax)
        )
        switch event {
        case .needMoreBytes:
          precondition(offset == piece.count, "more is asked for with bytes left")
          isAtEnd = true
        case .head(let request): seen.append(.head(request))
        case .content(let range):
          precondition(!range.isEmpty && range.upperBound == offset)
          add(piece[range], to: &seen)
        case .end: seen.append(.end)
        case .rejected(let rejection):
          precondition((400...505).contains(rejection.status))
          return seen + [.rejected(rejection)]
        }
      }
    }
    return seen
  }

  private static func add(_ content: ArraySlice<UInt8>, to seen: inout [Seen]) {
    guard case .content(let before) = seen.last else {
      return seen.append(.content(Array(content)))
    }
    seen[seen.count - 1] = .content(before + content)
  }
}

#if FUZZING
/// Feeds one input to the checks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTP1(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  HTTP1Properties.check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
#endif
