public import RPCKit

/// An encoded message of a type that is known only by its descriptor.
public struct RawMessage: Message {
  /// The encoded message.
  public var bytes: [UInt8]

  /// Makes an empty message, which every type has.
  public init() { bytes = [] }

  /// Makes a message of encoded bytes.
  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// No type's name: any may be inside.
  public static var protobufName: String { "" }

  /// Keeps the bytes as they are; anyone who reads them checks them.
  public init(protobuf bytes: Span<UInt8>, limits: MessageLimits) throws(MessageDecodingError) {
    self.bytes = bytes.indices.map { bytes[$0] }
  }

  /// Appends the bytes.
  public func append(
    to buffer: inout ByteBuffer,
    prefix: (inout ByteBuffer, _ byteCount: Int) -> Void
  ) {
    prefix(&buffer, bytes.count)
    buffer.append(bytes.span)
  }

  /// Nothing is known, so nothing is wrong.
  public func validate(path: String, into violations: inout [FieldViolation]) {}
}
