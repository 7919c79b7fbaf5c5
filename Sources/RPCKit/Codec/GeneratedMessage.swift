public import CProtobufC

/// A message that `protoc-gen-rpckit` wrote: a Swift struct, and how it moves to and from protobuf-c's.
///
/// Generated code says what differs from message to message; the rest is here. It is inlinable, so that each
/// message gets code of its own.
public protocol GeneratedMessage: Message {
  /// How protobuf-c reads and writes the struct.
  @unsafe static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? { get }

  /// Copies what protobuf-c unpacked: `source` points to the struct that protoc-c generated for the message.
  @unsafe init(reading source: UnsafeMutableRawPointer) throws(MessageDecodingError)

  /// The struct that protobuf-c packs; it lives as long as the use of `scratch`.
  @unsafe func packed(in scratch: MessageScratch) -> UnsafeMutableRawPointer
}

extension GeneratedMessage {
  /// Decodes one whole message; see `Message`.
  @inlinable
  public init(protobuf bytes: Span<UInt8>, limits: MessageLimits) throws(MessageDecodingError) {
    let unpacked = try unsafe UnpackedMessage(bytes, Self.descriptor, limits)
    defer { unpacked.release() }
    try unsafe self.init(reading: unpacked.root)
  }

  /// Appends the encoded message; see `Message`.
  @inlinable
  public func append(
    to buffer: inout ByteBuffer,
    prefix: (inout ByteBuffer, _ byteCount: Int) -> Void
  ) {
    let scratch = MessageScratch()
    defer { scratch.release() }
    unsafe scratch.pack(packed(in: scratch), to: &buffer, prefix: prefix)
  }

  /// Adds nothing: a message of numbers, or without fields; see `Message`.
  @inlinable
  public func measure(_ measure: inout MessageMeasure) {}

  /// Adds nothing: a message without rules; see `Message`.
  @inlinable
  public func validate(path: String, into violations: inout [FieldViolation]) {}
}
