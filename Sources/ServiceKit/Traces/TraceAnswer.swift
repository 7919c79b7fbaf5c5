internal import RPCKit

/// The answer of a collector that took spans: the message `ExportTraceServiceResponse`.
struct TraceAnswer: Hashable {
  /// Spans that it did not want.
  private(set) var rejectedCount = 0
  /// Why not, for people; or a warning.
  private(set) var message = ""

  /// Reads an answer.
  ///
  /// One that cannot be read says nothing: its status has said that the spans were taken.
  init(_ bytes: [UInt8]) {
    do {
      try read(bytes.span)
    } catch {
      (rejectedCount, message) = (0, "")
    }
  }

  private mutating func read(_ bytes: Span<UInt8>) throws(WireFormatError) {
    var cursor = WireCursor(0..<bytes.count)
    while !cursor.isAtEnd {
      switch try cursor.tag(bytes) {
      case (1, .lengthDelimited):
        try readPartialSuccess(bytes, try cursor.lengthDelimited(bytes))
      case (_, let type): try cursor.skip(type, bytes)
      }
    }
  }

  private mutating func readPartialSuccess(
    _ bytes: Span<UInt8>,
    _ range: Range<Int>
  ) throws(WireFormatError) {
    var cursor = WireCursor(range)
    while !cursor.isAtEnd {
      switch try cursor.tag(bytes) {
      // rejected_spans, an int64
      case (1, .varint):
        rejectedCount = max(0, Int(Int64(bitPattern: try cursor.varint(bytes))))
      // error_message
      case (2, .lengthDelimited):
        let text = try cursor.lengthDelimited(bytes).map { bytes[$0] }
        message = String(decoding: text, as: UTF8.self)
      case (_, let type): try cursor.skip(type, bytes)
      }
    }
  }
}
