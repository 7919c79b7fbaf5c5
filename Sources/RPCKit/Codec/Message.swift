/// A protobuf message as a Swift value, packed and unpacked by protobuf-c.
///
/// Generated types conform; nobody writes a conformance by hand.
public protocol Message: Hashable, Sendable {
  /// Makes a message with every field at its default.
  init()

  /// Fully qualified protobuf name, for example `tenancy.v1.CheckRequest`.
  static var protobufName: String { get }

  /// Decodes one whole message after the guard against hostile input has passed it.
  ///
  /// Nothing in `bytes` can trap, recurse past the nesting limit or reserve memory in proportion
  /// to a declared length.
  init(protobuf bytes: Span<UInt8>, limits: MessageLimits) throws(MessageDecodingError)

  /// Appends the encoded message to `buffer`, with whatever `prefix` writes put in front of it.
  ///
  /// `prefix` receives the exact encoded length first, so that a caller can write a header.
  func append(
    to buffer: inout ByteBuffer,
    prefix: (inout ByteBuffer, _ byteCount: Int) -> Void
  )

  /// Adds about how many bytes the encoded message has to `measure`, until that is exceeded.
  ///
  /// What has texts, bytes, elements or messages counts; numbers do not.
  func measure(_ measure: inout MessageMeasure)

  /// Adds one entry for each field that breaks a rule of the `.proto`, nested messages included.
  ///
  /// `path` is the field path so far (`address.` or empty); it ends up in `BadRequest`.
  func validate(path: String, into violations: inout [FieldViolation])
}

/// One field that breaks a rule: an entry of `google.rpc.BadRequest`.
public struct FieldViolation: Hashable, Sendable {
  /// Path of the field from the request: `guests[2].email`.
  public var field: String
  /// The problem and the remedy, as a sentence fragment.
  public var description: String
  /// Which rule is broken, for programs: `TEXT_BLANK`; empty for rules that have no name.
  public var reason: String

  /// Makes a violation.
  public init(field: String, description: String, reason: String = "") {
    self.field = field
    self.description = description
    self.reason = reason
  }
}

/// The limits of a received message before it is unpacked.
public struct MessageLimits: Hashable, Sendable {
  /// Messages inside the outermost one; protobuf's own default is 100.
  ///
  /// Past 256 there is no difference: that is how many levels the guard follows.
  public var nestingDepthMax = 100
  /// Fields on the wire in the whole message: unknown ones and each packed element included.
  public var fieldCountMax = 1_000_000
  /// Bytes of structs, arrays and text that a message may turn into, as a multiple of its encoded
  /// size; 64 KiB are allowed on top, so that short messages may be uneven.
  public var memoryMultipleMax = 8

  /// The defaults.
  public init() {}
}

/// Why bytes are not a message.
public enum MessageDecodingError: Error, Hashable, Sendable {
  /// Not protobuf, or not of this type.
  case malformed
  /// A `string` field is not UTF-8.
  case invalidUTF8
  /// Deeper than `MessageLimits.nestingDepthMax`.
  case nestedTooDeeply
  /// More fields than `MessageLimits.fieldCountMax`.
  case tooManyFields
  /// Would need more memory than `MessageLimits.memoryMultipleMax` allows.
  case needsTooMuchMemory
}

extension Message {
  /// A message that does not tell counts as short.
  public func measure(_ measure: inout MessageMeasure) {}

  /// The encoded message in an array of its own: for stores, hashes and details of errors.
  public var protobufBytes: [UInt8] {
    var buffer = ByteBuffer()
    append(to: &buffer) { _, _ in }
    return buffer.withBytes { Array($0) }
  }
}
