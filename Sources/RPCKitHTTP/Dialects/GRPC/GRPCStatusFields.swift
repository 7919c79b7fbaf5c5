package import RPCKit
internal import TextEncodings

/// The status of a call as fields: in trailers, in headers without content, in the last frame of gRPC-Web.
package enum GRPCStatusFields {
  /// Bytes of the value of `grpc-message`, at most.
  static let messageByteCountMax = 1024
  /// Bytes of the values of `grpc-message` and `grpc-status-details-bin` together, at most.
  ///
  /// Clients refuse header lists that are too long, 8 KiB for most and 16 KiB for all of grpcio, and nginx reads
  /// no more than 4 KiB for all fields of an answer and the frames before them (`grpc_buffer_size`): then the
  /// status is lost with all the rest.
  static let byteCountMax = 3328

  /// The fields of success.
  static let ok = CommonFields(["grpc-status": "0"])

  /// Adds the fields of an error, with as much of its details as fits.
  package static func append(_ error: RPCError, to fields: inout HTTPFields) {
    // A failure that calls itself a success would be one to the client.
    let code = error.code == .ok ? StatusCode.unknown : error.code
    fields.append("grpc-status", String(code.rawValue))
    let message = bounded(error.message)
    let encoded = percentEncoded(message)
    if !message.isEmpty { fields.append("grpc-message", encoded) }
    var status = Google_Rpc.Status(code: code.rawValue, message: message)
    // Three bytes are four letters of base64.
    let room = (byteCountMax - encoded.utf8.count) / 4 * 3 - status.protobufBytes.count
    status.details = error.fitted(into: room).details.map {
      Google_Protobuf.AnyMessage(typeUrl: $0.typeURL, value: $0.value)
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
    guard percentEncoded(text).utf8.count > messageByteCountMax else { return text }
    var (result, byteCount) = ("", 0)
    for character in text.unicodeScalars {
      byteCount += percentEncoded(String(character)).utf8.count
      guard byteCount <= messageByteCountMax else { break }
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
