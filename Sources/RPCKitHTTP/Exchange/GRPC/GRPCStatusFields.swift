internal import RPCKit
internal import TextEncodings

/// The status of a call as fields: in trailers, in headers without content, in the last frame of gRPC-Web.
enum GRPCStatusFields {
  /// Bytes of a message that a status has at most; and of its details.
  ///
  /// Clients refuse header lists that are too long, 8 KiB for most and 16 KiB for all of grpcio, and then the
  /// status is lost with all the rest.
  static let messageByteCountMax = 1024
  static let detailsByteCountMax = 4096

  /// The fields of success.
  static let ok: HTTPFields = ["grpc-status": "0"]

  /// Adds the fields of an error.
  ///
  /// The details are those that fit, in their order, as programs need the first of them most.
  static func append(_ error: RPCError, to fields: inout HTTPFields) {
    // A failure that calls itself a success would be one to the client.
    let code = error.code == .ok ? StatusCode.unknown : error.code
    fields.append("grpc-status", String(code.rawValue))
    let message = bounded(error.message)
    if !message.isEmpty { fields.append("grpc-message", percentEncoded(message)) }
    var status = Google_Rpc.Status(code: code.rawValue, message: message)
    var byteCount = message.utf8.count
    for detail in error.details {
      byteCount += detail.typeURL.utf8.count + detail.value.count + 8
      guard byteCount <= detailsByteCountMax else { break }
      status.details.append(
        Google_Protobuf.AnyMessage(typeUrl: detail.typeURL, value: detail.value)
      )
    }
    if !status.details.isEmpty {
      fields.append(
        "grpc-status-details-bin",
        Base64.encode(status.protobufBytes.span, isPadded: false)
      )
    }
    if let delay = error.retryDelay {
      // gRFC A6: what a server says of when to try again.
      fields.append("grpc-retry-pushback-ms", String(delay.millisecondsRoundedUp))
    }
  }

  private static func bounded(_ text: String) -> String {
    guard text.utf8.count > messageByteCountMax else { return text }
    var result = ""
    for character in text.unicodeScalars {
      guard result.utf8.count + 4 <= messageByteCountMax else { break }
      result.unicodeScalars.append(character)
    }
    return result
  }

  /// Visible ASCII but for the percent sign stays as it is (grpc/grpc doc/PROTOCOL-HTTP2.md).
  static func percentEncoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if (0x20...0x7E).contains(byte), byte != UInt8(ascii: "%") {
        bytes.append(byte)
      } else {
        bytes.append(UInt8(ascii: "%"))
        for digit in [byte >> 4, byte & 15] {
          bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
        }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Duration {
  /// Whole milliseconds that are not shorter.
  var millisecondsRoundedUp: Int64 { (nanosecondsSaturated + 999_999) / 1_000_000 }
}
