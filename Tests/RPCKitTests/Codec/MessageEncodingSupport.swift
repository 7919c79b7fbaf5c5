import RPCKit

extension Message {
  /// Decodes an array of bytes.
  init(encoded: [UInt8], limits: MessageLimits = MessageLimits()) throws(MessageDecodingError) {
    try self.init(protobuf: encoded.span, limits: limits)
  }

  /// The encoded message on its own.
  func encoded() -> [UInt8] {
    var buffer = ByteBuffer()
    append(to: &buffer) { _, _ in }
    return buffer.withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }
}
