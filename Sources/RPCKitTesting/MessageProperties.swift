public import RPCKit

/// The properties of any bytes that are decoded as a message; the fuzzer and the tests share them.
public enum MessageProperties {
  /// Decodes `bytes` and checks that what comes out is stable.
  ///
  /// Bytes may be refused. What is read must encode to bytes that decode again and then encode to
  /// the same bytes: the first encoding may differ from `bytes`, because unknown fields are dropped
  /// and fields put in order. Traps when that does not hold.
  /// - Returns: Whether the bytes were a message.
  @discardableResult
  public static func check<Subject: Message>(_ type: Subject.Type, _ bytes: Span<UInt8>) -> Bool {
    // Refusing is right for nearly all inputs, and which error it is does not matter here.
    guard let message = try? Subject(protobuf: bytes, limits: MessageLimits()) else { return false }
    var violations: [FieldViolation] = []
    message.validate(path: "", into: &violations)

    let first = encode(message)
    guard let again = decode(type, first) else {
      preconditionFailure("\(type.protobufName) does not read what it has written itself")
    }
    precondition(
      first == encode(again),
      "\(type.protobufName) writes something else after reading its own bytes"
    )
    return true
  }

  private static func encode(_ message: some Message) -> [UInt8] {
    var buffer = ByteBuffer()
    message.append(to: &buffer) { _, _ in }
    return buffer.withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }

  private static func decode<Subject: Message>(_ type: Subject.Type, _ bytes: [UInt8]) -> Subject? {
    // A message of many empty ones is within the limits, but its shorter encoding may not be.
    var limits = MessageLimits()
    limits.memoryMultipleMax = .max
    limits.fieldCountMax = .max
    return try? Subject(protobuf: bytes.span, limits: limits)
  }
}
