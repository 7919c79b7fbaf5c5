internal import RPCKit
internal import TextEncodings

/// A call by HTTP/2 whose answer is on its way; used again for another when it is over.
final class HTTP2Call {
  private(set) var token: UInt64 = 0
  private(set) var deadline = MonotonicInstant.distantFuture
  private var status = 0
  private var grpcStatus: Int32?
  private var message: [UInt8] = []
  private var content = ByteBuffer()

  private static let prefixByteCount = 5

  /// Begins another call.
  func begin(token: UInt64, deadline: MonotonicInstant) {
    self.token = token
    self.deadline = deadline
    status = 0
    grpcStatus = nil
    message.removeAll(keepingCapacity: true)
    content.truncate(to: 0)
  }

  /// A field of the head or of the trailers.
  func received(_ name: Span<UInt8>, _ value: Span<UInt8>) {
    if name.isEqual(":status") {
      status = value.decimal ?? 0
    } else if name.isEqual("grpc-status") {
      grpcStatus = value.decimal.flatMap { Int32(exactly: $0) }
    } else if name.isEqual("grpc-message") {
      message.removeAll(keepingCapacity: true)
      for index in value.indices { message.append(value[index]) }
    }
  }

  /// Content of the answer; false when there is more than is taken.
  func received(content bytes: Span<UInt8>) -> Bool {
    guard content.byteCount + bytes.count <= HTTPCall.answerByteCountMax else { return false }
    content.append(bytes)
    return true
  }

  /// Shows how the complete answer ends the call.
  func end(isGRPC: Bool, _ body: (CallEnd, Span<UInt8>) -> Void) {
    guard isGRPC else {
      let isSuccess = (200..<300).contains(status)
      return content.withBytes { body(isSuccess ? .succeeded : .answered(status: status), $0) }
    }
    guard let grpcStatus else {
      let text = Array("HTTP status \(status) and no status of gRPC".utf8)
      return body(.failed(Self.code(ofHTTP: status)), text.span)
    }
    guard grpcStatus == 0 else {
      return body(.failed(StatusCode(rawValue: grpcStatus)), Self.decoded(message).span)
    }
    content.withBytes { bytes in
      guard Self.isOneMessage(bytes) else {
        return body(.failed(.internal), Array("the answer is not one message".utf8).span)
      }
      body(.succeeded, bytes.extracting(Self.prefixByteCount..<bytes.count))
    }
  }

  /// Whether the content is a message, not compressed, behind its length.
  private static func isOneMessage(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count >= prefixByteCount, bytes[0] == 0 else { return false }
    var byteCount = 0
    for index in 1..<prefixByteCount { byteCount = byteCount << 8 | Int(bytes[index]) }
    return byteCount == bytes.count - prefixByteCount
  }

  /// The code of an answer that does not come from gRPC (grpc/grpc doc/http-grpc-status-mapping.md).
  private static func code(ofHTTP status: Int) -> StatusCode {
    switch status {
    case 400: .internal
    case 401: .unauthenticated
    case 403: .permissionDenied
    case 404: .unimplemented
    case 429, 502, 503, 504: .unavailable
    default: .unknown
    }
  }

  /// Undoes percent-encoding; what is none stays as it is.
  private static func decoded(_ text: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    var index = 0
    while index < text.count {
      if text[index] == UInt8(ascii: "%"), index + 2 < text.count,
        let high = text[index + 1].hexadecimalValue, let low = text[index + 2].hexadecimalValue
      {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(text[index])
        index += 1
      }
    }
    return bytes
  }
}
