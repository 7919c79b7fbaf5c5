internal import RPCKit

/// The outcome of a call that was not made by frames, as the frame of a response says it.
struct TranslatedStatus: Error {
  let code: StatusCode
  /// An encoded `google.rpc.Status`.
  let encoded: [UInt8]
  /// The call was never begun, so that it may be made again.
  let isNotProcessed: Bool

  init(_ code: StatusCode, _ message: String, isNotProcessed: Bool = false) {
    self.init(code, encoded: Self.encoded(code, message), isNotProcessed: isNotProcessed)
  }

  init(_ code: StatusCode, encoded: [UInt8], isNotProcessed: Bool = false) {
    self.code = code
    self.encoded = encoded
    self.isNotProcessed = isNotProcessed
  }

  /// A `google.rpc.Status` without details.
  static func encoded(_ code: StatusCode, _ message: String) -> [UInt8] {
    WireMessage().varint(1, UInt64(bitPattern: Int64(code.rawValue))).text(2, message).bytes
  }

  /// The code of an answer of HTTP that says nothing else (grpc/grpc doc/http-grpc-status-mapping.md; Connect has
  /// the same).
  static func code(httpStatus: Int) -> StatusCode {
    switch httpStatus {
    case 400: .internal
    case 401: .unauthenticated
    case 403: .permissionDenied
    case 404: .unimplemented
    case 429, 502, 503, 504: .unavailable
    default: .unknown
    }
  }

  /// Bytes from base64, padded or not; nil for what is none.
  static func base64Decoded(_ text: String) -> [UInt8]? {
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
