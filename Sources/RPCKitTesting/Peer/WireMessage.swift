/// Protobuf fields, written one by one: for envelopes and payloads of test frames.
///
/// Source: protobuf.dev/programming-guides/encoding. Says exactly what is on the wire, including
/// what no encoder would write.
public struct WireMessage: Hashable, Sendable {
  /// The bytes written so far.
  public private(set) var bytes: [UInt8] = []

  /// Makes an empty message.
  public init() {}

  /// Adds a varint field.
  public func varint(_ field: Int, _ value: UInt64) -> WireMessage {
    adding(Self.varint(UInt64(field << 3)) + Self.varint(value))
  }

  /// Adds a length-delimited field.
  public func field(_ field: Int, _ value: [UInt8]) -> WireMessage {
    adding(Self.varint(UInt64(field << 3 | 2)) + Self.varint(UInt64(value.count)) + value)
  }

  /// Adds a string field.
  public func text(_ field: Int, _ value: String) -> WireMessage {
    self.field(field, Array(value.utf8))
  }

  /// Adds bytes as they are.
  public func adding(_ more: [UInt8]) -> WireMessage {
    var copy = self
    copy.bytes += more
    return copy
  }

  /// A base-128 number.
  public static func varint(_ value: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  /// A ttrpc Request: `service=1`, `method=2`, `payload=3` if not nil, `timeout_nano=4` if not
  /// zero, `metadata=5`.
  public static func request(
    _ service: String,
    _ method: String,
    payload: [UInt8]? = nil,
    timeoutNanoseconds: Int64 = 0,
    metadata: [(String, String)] = []
  ) -> [UInt8] {
    var message = WireMessage().text(1, service).text(2, method)
    if let payload { message = message.field(3, payload) }
    if timeoutNanoseconds != 0 {
      message = message.varint(4, UInt64(bitPattern: timeoutNanoseconds))
    }
    for (key, value) in metadata {
      message = message.field(5, WireMessage().text(1, key).text(2, value).bytes)
    }
    return message.bytes
  }

  /// The fields of a message in order; nil when it is malformed.
  ///
  /// Groups are not read.
  public static func fields(_ bytes: [UInt8]) -> [(field: Int, value: Value)]? {
    var rest = bytes[...]
    var fields: [(Int, Value)] = []
    while !rest.isEmpty {
      guard let tag = takeVarint(&rest) else { return nil }
      let number = Int(truncatingIfNeeded: tag >> 3)
      switch tag & 7 {
      case 0:
        guard let value = takeVarint(&rest) else { return nil }
        fields.append((number, .number(value)))
      case 2:
        guard let length = takeVarint(&rest), length <= UInt64(rest.count) else { return nil }
        fields.append((number, .bytes(Array(rest.prefix(Int(length))))))
        rest = rest.dropFirst(Int(length))
      case 1 where rest.count >= 8: rest = rest.dropFirst(8)
      case 5 where rest.count >= 4: rest = rest.dropFirst(4)
      default: return nil
      }
    }
    return fields
  }

  /// A field's value.
  public enum Value: Hashable, Sendable {
    /// A varint.
    case number(UInt64)
    /// Something length-delimited.
    case bytes([UInt8])
  }

  private static func takeVarint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = bytes.popFirst() {
      value |= UInt64(byte & 0x7f) << shift
      if byte & 0x80 == 0 { return value }
      shift += 7
      guard shift <= 63 else { return nil }
    }
    return nil
  }
}

extension WireFrame {
  /// A response as a test looks at it.
  public struct Outcome: Hashable, Sendable {
    /// The number of the status; 0 is OK.
    public var code: Int32
    /// The text of the status.
    public var message: String
    /// The encoded response message; nil when the field is absent.
    public var payload: [UInt8]?
    /// The call was never begun (field 101).
    public var isNotProcessed = false
    /// Response metadata (field 100), as `key: value`.
    public var metadata: [String] = []
  }

  /// The outcome in a Response frame; nil when this is none or it is malformed.
  public var outcome: Outcome? {
    guard type == Self.response, let fields = WireMessage.fields(payload) else { return nil }
    var outcome = Outcome(code: 0, message: "", payload: nil)
    for (field, value) in fields {
      switch (field, value) {
      case (1, .bytes(let status)):
        guard let parts = WireMessage.fields(status) else { return nil }
        for case (1, .number(let code)) in parts { outcome.code = Int32(truncatingIfNeeded: code) }
        for case (2, .bytes(let text)) in parts {
          outcome.message = String(decoding: text, as: UTF8.self)
        }
      case (2, .bytes(let payload)): outcome.payload = payload
      case (100, .bytes(let pair)):
        let texts = (WireMessage.fields(pair) ?? []).map { part in
          guard case .bytes(let text) = part.value else { return "?" }
          return String(decoding: text, as: UTF8.self)
        }
        outcome.metadata.append(texts.joined(separator: ": "))
      case (101, .number(let flag)): outcome.isNotProcessed = flag != 0
      default: break
      }
    }
    return outcome
  }
}
