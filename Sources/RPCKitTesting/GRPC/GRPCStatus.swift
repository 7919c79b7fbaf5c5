internal import RPCKit

/// The outcome of a call by gRPC, as the frame of a response says it.
struct GRPCStatus: Error {
  var code: StatusCode
  /// An encoded `google.rpc.Status`.
  let encoded: [UInt8]
  /// Nobody began the call, so that it may be made again.
  let isNotProcessed: Bool

  init(_ code: StatusCode, _ message: String, isNotProcessed: Bool = false) {
    self.code = code
    self.isNotProcessed = isNotProcessed
    encoded = Self.encoded(code, message)
  }

  private static func encoded(_ code: StatusCode, _ message: String) -> [UInt8] {
    WireMessage().varint(1, UInt64(bitPattern: Int64(code.rawValue))).text(2, message).bytes
  }

  /// What the end of an answer says.
  ///
  /// Throws the status of an answer that is none of gRPC (grpc/grpc doc/http-grpc-status-mapping.md).
  init(
    httpStatus: Int?,
    contentType: String,
    value: String?,
    message: String?,
    details: String?
  ) throws(GRPCStatus) {
    guard let value else {
      throw GRPCStatus(
        Self.code(httpStatus: httpStatus ?? 0),
        "the server answered with HTTP status \(httpStatus ?? 0) and no status of gRPC"
      )
    }
    guard contentType.hasPrefix("application/grpc"), let number = Int32(value) else {
      throw GRPCStatus(.unknown, "the server answered with \(contentType) and status \(value)")
    }
    code = StatusCode(rawValue: number)
    isNotProcessed = false
    // The details are a whole status, so that they can be passed on as they are.
    let text = Self.percentDecoded(message ?? "")
    encoded = details.flatMap(Self.base64Decoded) ?? Self.encoded(code, text)
  }

  private static func code(httpStatus: Int) -> StatusCode {
    switch httpStatus {
    case 400: .internal
    case 401: .unauthenticated
    case 403: .permissionDenied
    case 404: .unimplemented
    case 429, 502, 503, 504: .unavailable
    default: .unknown
    }
  }

  /// The status of a stream that was reset (grpc/grpc doc/PROTOCOL-HTTP2.md, "Errors").
  static func reset(_ code: UInt32) -> GRPCStatus {
    switch HTTP2Code(rawValue: code) {
    case .refusedStream:
      GRPCStatus(.unavailable, "the server refused the stream", isNotProcessed: true)
    case .cancel: GRPCStatus(.cancelled, "the server gave the stream up")
    case .enhanceYourCalm: GRPCStatus(.resourceExhausted, "the server asks for calm")
    case .inadequateSecurity: GRPCStatus(.permissionDenied, "the server asks for better TLS")
    default: GRPCStatus(.internal, "the server reset the stream with code \(code)")
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

  private static func base64Decoded(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount = 0
    for letter in text.utf8 where letter != UInt8(ascii: "=") {
      guard let value = letters.firstIndex(of: letter) else { return nil }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
    }
    return bytes
  }

  private static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )
}
