package import CommandLineTool

/// Encoded messages in one piece of memory, to be sent in turn.
package struct EncodedRequests: Sendable, Hashable {
  /// Largest message: what fits into a ttrpc frame beside the names.
  package static let messageByteCountMax = (4 << 20) - (64 << 10)
  /// Largest file of messages.
  package static let fileByteCountMax = 64 << 20
  /// Messages of one file.
  package static let messageCountMax = 1_000_000

  /// All messages, and for files what stands between them.
  package let bytes: [UInt8]
  /// Where each message is.
  package let ranges: [Range<Int>]

  /// One message.
  package init(message: [UInt8]) {
    bytes = message
    ranges = [0..<message.count]
  }

  /// Several messages.
  init(messages: [[UInt8]]) {
    var bytes: [UInt8] = []
    ranges = messages.map { message in
      bytes += message
      return bytes.count - message.count..<bytes.count
    }
    self.bytes = bytes
  }

  /// Finds the messages of a delimited file: each behind its length as a varint.
  package init(delimited bytes: [UInt8], name: String) throws(UsageError) {
    var ranges: [Range<Int>] = []
    var offset = 0
    while offset < bytes.count {
      let start = offset
      let length = try Self.length(bytes, &offset, name)
      guard length <= UInt64(Self.messageByteCountMax) else {
        throw UsageError(
          "\(name): the message at byte \(start) says that it has \(length) bytes; "
            + "\(Self.messageByteCountMax) are possible. Is the file length-delimited? A file that "
            + "is one message is given with --request-message"
        )
      }
      guard Int(length) <= bytes.count - offset else {
        throw UsageError(
          "\(name): the message at byte \(start) has \(length) bytes, but the file ends after "
            + "\(bytes.count - offset)"
        )
      }
      guard ranges.count < Self.messageCountMax else {
        throw UsageError("\(name) has more than \(Self.messageCountMax) messages")
      }
      ranges.append(offset..<offset + Int(length))
      offset += Int(length)
    }
    guard !ranges.isEmpty else { throw UsageError("\(name) has no message") }
    self.bytes = bytes
    self.ranges = ranges
  }

  /// Reads a length; at most ten bytes (protobuf's base-128 varint).
  private static func length(
    _ bytes: [UInt8],
    _ offset: inout Int,
    _ name: String
  ) throws(UsageError) -> UInt64 {
    let start = offset
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard offset < bytes.count else {
        throw UsageError("\(name): the file ends inside the length at byte \(start)")
      }
      let byte = bytes[offset]
      offset += 1
      if shift == 63, byte > 1 { break }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    throw UsageError("\(name): the length at byte \(start) is longer than 64 bits")
  }
}
