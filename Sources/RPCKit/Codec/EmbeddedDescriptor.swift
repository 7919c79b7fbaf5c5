/// The descriptor of one `.proto` file, built into the program for reflection and JSON.
///
/// Kept as a string literal: it costs nothing until `bytes` is read.
public struct EmbeddedDescriptor: Sendable {
  /// Path of the file: `tenancy/v1/permissions.proto`.
  public let name: StaticString
  private let base64: StaticString

  /// Makes a descriptor of an encoded `google.protobuf.FileDescriptorProto`.
  public init(name: StaticString, base64: StaticString) {
    self.name = name
    self.base64 = base64
  }

  /// The encoded `google.protobuf.FileDescriptorProto`, decoded again by each read.
  public var bytes: [UInt8] {
    var result: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for character in "\(base64)".utf8 {
      guard let value = Self.value(of: character) else { break }
      bits = bits << 6 | value
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      result.append(UInt8(truncatingIfNeeded: bits >> bitCount))
    }
    return result
  }

  /// RFC 4648 section 4; nil for the padding.
  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
