internal import RPCKit

/// How gRPC says the outcome of a call.
extension TranslatedStatus {
  /// The end of an answer.
  ///
  /// Throws the status of an answer that is none of gRPC (grpc/grpc doc/http-grpc-status-mapping.md).
  init(
    httpStatus: Int?,
    contentType: String,
    value: String?,
    message: String?,
    details: String?
  ) throws(TranslatedStatus) {
    guard let value else {
      throw TranslatedStatus(
        Self.code(httpStatus: httpStatus ?? 0),
        "the server answered with HTTP status \(httpStatus ?? 0) and no status of gRPC"
      )
    }
    guard contentType.hasPrefix("application/grpc"), let number = Int32(value) else {
      throw TranslatedStatus(
        .unknown,
        "the server answered with \(contentType) and status \(value)"
      )
    }
    let code = StatusCode(rawValue: number)
    // The details are a whole status, so that they can be passed on as they are.
    let text = Self.percentDecoded(message ?? "")
    self.init(
      code,
      encoded: details.flatMap(Self.base64Decoded) ?? Self.encoded(code, text)
    )
  }

  /// The status of a stream that was reset (grpc/grpc doc/PROTOCOL-HTTP2.md, "Errors").
  static func reset(_ code: UInt32) -> TranslatedStatus {
    switch HTTP2Code(rawValue: code) {
    case .refusedStream:
      TranslatedStatus(.unavailable, "the server refused the stream", isNotProcessed: true)
    case .cancel: TranslatedStatus(.cancelled, "the server gave the stream up")
    case .enhanceYourCalm: TranslatedStatus(.resourceExhausted, "the server asks for calm")
    case .inadequateSecurity: TranslatedStatus(.permissionDenied, "the server asks for better TLS")
    default: TranslatedStatus(.internal, "the server reset the stream with code \(code)")
    }
  }

  private static func percentDecoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = UInt8(digits, radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
