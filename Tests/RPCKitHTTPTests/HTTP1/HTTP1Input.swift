@testable import RPCKitHTTP

/// Bytes of a client, and all that comes of them however they are cut.
struct HTTP1Input {
  let bytes: [UInt8]
  var limits = HTTPLimits()

  /// `\n` in the text is a CR LF; other line ends are written as `\u{A}` and `\r` in `exactly`.
  init(_ text: String) {
    bytes = Array(text.replacing("\n", with: "\r\n").utf8)
  }

  init(exactly bytes: [UInt8]) {
    self.bytes = bytes
  }

  init(exactly text: String) {
    bytes = Array(text.utf8)
  }

  /// What is understood when the input arrives at once.
  var whole: [HTTP1Properties.Seen] {
    HTTP1Properties.read(bytes, limits) { _ in bytes.count }
  }

  /// Whether it is the same when the input arrives byte by byte, and when it is cut once, at any place.
  var isTheSameInPieces: Bool {
    let whole = whole
    guard HTTP1Properties.read(bytes, limits, pieceByteCount: { _ in 1 }) == whole else {
      return false
    }
    return bytes.indices.allSatisfy { cut in
      HTTP1Properties.read(bytes, limits) { $0 < cut ? cut : bytes.count } == whole
    }
  }

  /// The status that the input is refused with; nil when it is not.
  var rejection: HTTP1Rejection? {
    guard case .rejected(let rejection) = whole.last else { return nil }
    return rejection
  }

  /// The heads of its requests.
  var requests: [HTTP1Request] {
    whole.compactMap { seen in
      if case .head(let request) = seen { return request }
      return nil
    }
  }

  /// The contents of its requests, one after another.
  var content: String {
    whole.reduce(into: "") { text, seen in
      if case .content(let bytes) = seen { text += String(decoding: bytes, as: UTF8.self) }
    }
  }

  /// How many of its requests are complete.
  var endCount: Int { whole.count { $0 == .end } }
}
