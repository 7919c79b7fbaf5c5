@testable import RPCKit

/// A message that is its own encoding, so that client tests need no generated code.
struct BytesMessage: Message, ExpressibleByStringLiteral {
  static let protobufName = "test.v1.Bytes"

  var bytes: [UInt8]

  init() { bytes = [] }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  init(stringLiteral text: String) { bytes = Array(text.utf8) }

  /// The byte 0xFF stands for bytes that are no message.
  init(protobuf bytes: Span<UInt8>, limits: MessageLimits) throws(MessageDecodingError) {
    self.bytes = [UInt8](bytes)
    if self.bytes.first == 0xFF { throw .malformed }
  }

  func append(
    to buffer: inout ByteBuffer,
    prefix: (inout ByteBuffer, _ byteCount: Int) -> Void
  ) {
    prefix(&buffer, bytes.count)
    buffer.append(bytes.span)
  }

  func validate(path: String, into violations: inout [FieldViolation]) {}

  var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension MethodDescriptor {
  /// A method of the tests' service.
  static func test(
    _ kind: Kind = .unary,
    _ method: String = "Say",
    isIdempotent: Bool = false
  ) -> MethodDescriptor {
    MethodDescriptor(
      service: "test.v1.Echo",
      method: method,
      kind: kind,
      callerClass: .public,
      isIdempotent: isIdempotent,
      requestType: BytesMessage.protobufName,
      responseType: BytesMessage.protobufName
    )
  }
}
