/// Names one call on one connection.
///
/// Odd numbers are the client's; even ones are never used.
struct StreamID: RawRepresentable, Hashable, Sendable, Comparable {
  var rawValue: UInt32

  /// Carries HELLO, PING and GOAWAY: odd, so that stock servers skip unknown types on it, and never
  /// given to a call.
  static let connection = StreamID(rawValue: .max)

  /// The first call of a connection.
  static let first = StreamID(rawValue: 1)

  /// Whether a client may use it.
  var isClientInitiated: Bool { rawValue & 1 == 1 }

  static func < (left: StreamID, right: StreamID) -> Bool { left.rawValue < right.rawValue }
}

/// The type of a frame.
///
/// 1 to 3 are ttrpc; the rest are ours and only follow a HELLO.
struct FrameType: RawRepresentable, Hashable, Sendable {
  var rawValue: UInt8

  static let request = FrameType(rawValue: 0x01)
  static let response = FrameType(rawValue: 0x02)
  static let data = FrameType(rawValue: 0x03)
  static let hello = FrameType(rawValue: 0x40)
  static let cancel = FrameType(rawValue: 0x41)
  static let ping = FrameType(rawValue: 0x42)
  static let goAway = FrameType(rawValue: 0x43)
  static let credit = FrameType(rawValue: 0x44)
}

/// The flag bits of a frame.
///
/// Their meaning depends on the type.
struct FrameFlags: OptionSet, Hashable, Sendable {
  var rawValue: UInt8

  /// The sender sends nothing more on this stream.
  static let remoteClosed = FrameFlags(rawValue: 0x01)
  /// On a Request: Data frames follow.
  static let remoteOpen = FrameFlags(rawValue: 0x02)
  /// There is no message in this frame, as opposed to an empty one.
  static let noData = FrameFlags(rawValue: 0x04)
  /// The payload is a zlib stream (RFC 1950).
  ///
  /// Only between peers that both announced it.
  static let deflated = FrameFlags(rawValue: 0x10)
  /// On a PING: this is the answer.
  static let acknowledgement = FrameFlags(rawValue: 0x01)
}

/// The ten bytes in front of every frame (containerd/ttrpc PROTOCOL.md).
struct FrameHeader: Hashable, Sendable {
  /// Bytes of a header.
  static let byteCount = 10
  /// Where in a header the call's number begins.
  static let streamIDOffset = 4

  /// Bytes that follow the header.
  var payloadByteCount: Int
  /// The call it belongs to.
  var streamID: StreamID
  /// The type.
  var type: FrameType
  /// Depends on the type.
  var flags: FrameFlags

  init(payloadByteCount: Int, streamID: StreamID, type: FrameType, flags: FrameFlags = []) {
    self.payloadByteCount = payloadByteCount
    self.streamID = streamID
    self.type = type
    self.flags = flags
  }

  /// Reads a header from the first ten of `bytes`.
  init(_ bytes: Span<UInt8>, at offset: Int = 0) {
    payloadByteCount = Int(bytes.bigEndian(at: offset))
    streamID = StreamID(rawValue: bytes.bigEndian(at: offset + 4))
    type = FrameType(rawValue: bytes[offset + 8])
    flags = FrameFlags(rawValue: bytes[offset + 9])
  }

  /// Writes the ten bytes.
  func append(to buffer: inout ByteBuffer) {
    buffer.append(
      bigEndian: UInt64(UInt32(payloadByteCount)) << 32 | UInt64(streamID.rawValue),
      UInt16(type.rawValue) << 8 | UInt16(flags.rawValue)
    )
  }
}

extension Span<UInt8> {
  /// Reads four bytes as a big-endian number.
  func bigEndian(at offset: Int) -> UInt32 {
    UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16
      | UInt32(self[offset + 2]) << 8 | UInt32(self[offset + 3])
  }
}
