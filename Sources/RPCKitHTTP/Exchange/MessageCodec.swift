internal import RPCKit

/// How the messages of a request and its answer are written.
enum MessageCodec {
  case protobuf
  case json(any MessageTranscoder)

  /// As media types say it: `application/json`.
  var name: String {
    switch self {
    case .protobuf: "proto"
    case .json: "json"
    }
  }

  /// Calls `body` with a received message as protobuf; returns why there is none, or what `body` returns.
  func withProtobuf(
    _ bytes: Span<UInt8>,
    type: String,
    _ body: (Span<UInt8>) -> RPCError?
  ) -> RPCError? {
    guard case .json(let transcoder) = self else { return body(bytes) }
    var json: [UInt8] = []
    json.replaceAll(with: bytes)
    let protobuf: [UInt8]
    do throws(RPCError) {
      protobuf = try transcoder.protobuf(fromJSON: json, type: type)
    } catch {
      return error
    }
    return body(protobuf.span)
  }

  /// Puts a message to send in the place of its protobuf form.
  func encode(_ message: inout ByteBuffer, type: String) throws(RPCError) {
    guard case .json(let transcoder) = self else { return }
    var protobuf: [UInt8] = []
    message.withBytes { protobuf.replaceAll(with: $0) }
    let json = try transcoder.json(fromProtobuf: protobuf, type: type)
    message.release()
    message.append(json.span)
  }
}
