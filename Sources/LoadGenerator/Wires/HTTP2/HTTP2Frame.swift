internal import RPCKit

/// A frame of HTTP/2 (RFC 9113 section 4).
struct HTTP2Frame {
  static let headerByteCount = 9
  /// The longest payload that both sides take without saying anything else.
  static let byteCountMax = 16_384

  /// Types that a client meets (section 6).
  enum Kind: UInt8 {
    case data = 0
    case headers = 1
    case reset = 3
    case settings = 4
    case pushPromise = 5
    case ping = 6
    case goAway = 7
    case windowUpdate = 8
    case continuation = 9
  }

  static let endStream: UInt8 = 0x1
  static let acknowledgement: UInt8 = 0x1
  static let endHeaders: UInt8 = 0x4
  static let padded: UInt8 = 0x8
  static let priority: UInt8 = 0x20

  /// nil for types that are to be ignored.
  let kind: Kind?
  let flags: UInt8
  let stream: UInt32

  /// Reads the header, and how long what follows it is.
  static func read(_ bytes: Span<UInt8>) -> (frame: HTTP2Frame, byteCount: Int) {
    let frame = HTTP2Frame(
      kind: Kind(rawValue: bytes[3]),
      flags: bytes[4],
      stream: bytes.number(at: 5) & 0x7FFF_FFFF
    )
    return (frame, Int(bytes.number(at: 0) >> 8))
  }

  func has(_ flag: UInt8) -> Bool { flags & flag != 0 }

  /// Writes a header.
  static func append(
    _ kind: Kind,
    _ byteCount: Int,
    flags: UInt8 = 0,
    stream: UInt32 = 0,
    to output: inout ByteBuffer
  ) {
    output.append(bigEndian: UInt32(byteCount) << 8 | UInt32(kind.rawValue))
    output.append(flags)
    output.append(bigEndian: stream)
  }

  /// The part of a payload beside its padding and, with `hasPriority`, its priority; nil when they do not fit.
  func content(_ payload: Span<UInt8>, byteCount: Int, hasPriority: Bool) -> Range<Int>? {
    var start = 0
    var end = byteCount
    if has(Self.padded) {
      guard byteCount > 0 else { return nil }
      start = 1
      end -= Int(payload[0])
    }
    if hasPriority, has(Self.priority) { start += 5 }
    return start <= end ? start..<end : nil
  }
}

extension Span<UInt8> {
  /// A number of four bytes, the highest first.
  func number(at index: Int) -> UInt32 {
    UInt32(self[index]) << 24 | UInt32(self[index + 1]) << 16 | UInt32(self[index + 2]) << 8
      | UInt32(self[index + 3])
  }
}
