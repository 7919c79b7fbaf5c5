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

  /// The fields of every answer to a unary call by Connect.
  var unaryFields: CommonFields {
    switch self {
    case .protobuf: Self.unaryProtobuf
    case .json: Self.unaryJSON
    }
  }

  private static let unaryProtobuf = CommonFields(
    ["content-type": "application/proto"],
    isForBrowsers: true
  )
  private static let unaryJSON = CommonFields(
    ["content-type": "application/json"],
    isForBrowsers: true
  )

  /// How a received message becomes protobuf; nil for one that is.
  func transcoding(to type: String) -> CallContext.Transcoding? {
    guard case .json(let transcoder) = self else { return nil }
    return { json throws(RPCError) in try transcoder.protobuf(fromJSON: json, type: type) }
  }

  /// How a message to send becomes what is sent; nil for protobuf.
  func encoding(of type: String) -> AnswerEncoding.Transcoding? {
    guard case .json(let transcoder) = self else { return nil }
    return { protobuf throws(RPCError) in
      try transcoder.json(fromProtobuf: protobuf, type: type)
    }
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
