/// One frame as it is on the wire, written and read without the library's own framing: what tests
/// say of bytes must not depend on the code under test.
///
/// Ten bytes (payload length, stream, type, flags; numbers big-endian) and the payload
/// (containerd/ttrpc PROTOCOL.md).
public struct WireFrame: Hashable, Sendable, CustomStringConvertible {
  /// Which call; odd for calls, `connectionStream` for the connection itself.
  public var stream: UInt32
  /// The type: see the constants.
  public var type: UInt8
  /// Depends on the type.
  public var flags: UInt8
  /// The payload that follows the header.
  public var payload: [UInt8]

  /// ttrpc Request.
  public static let request: UInt8 = 0x01
  /// ttrpc Response.
  public static let response: UInt8 = 0x02
  /// ttrpc Data.
  public static let data: UInt8 = 0x03
  /// Extension: settings.
  public static let hello: UInt8 = 0x40
  /// Extension: the client gave a call up.
  public static let cancel: UInt8 = 0x41
  /// Extension: sign of life; flag 0x01 on the answer.
  public static let ping: UInt8 = 0x42
  /// Extension: the server accepts no more calls.
  public static let goAway: UInt8 = 0x43
  /// Extension: the peer may send more on a stream.
  public static let credit: UInt8 = 0x44
  /// The stream of frames that concern the connection.
  public static let connectionStream = UInt32.max

  /// Makes a frame.
  public init(stream: UInt32, type: UInt8, flags: UInt8 = 0, payload: [UInt8] = []) {
    self.stream = stream
    self.type = type
    self.flags = flags
    self.payload = payload
  }

  /// Takes a whole frame off the front of `bytes`; nil when it is not complete.
  public init?(takingFrom bytes: inout [UInt8]) {
    self.init(bytes[...])
    bytes.removeFirst(10 + payload.count)
  }

  /// Reads the frame at the front of `bytes`; nil when it is not complete.
  public init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= 10 else { return nil }
    let start = bytes.startIndex
    let length = Int(Self.number(bytes[start..<start + 4]))
    guard bytes.count - 10 >= length else { return nil }
    self.init(
      stream: Self.number(bytes[start + 4..<start + 8]),
      type: bytes[start + 8],
      flags: bytes[start + 9],
      payload: Array(bytes[start + 10..<start + 10 + length])
    )
  }

  /// The frame as bytes.
  public var bytes: [UInt8] {
    header(declaring: UInt32(payload.count)) + payload
  }

  /// The ten bytes of a header that declares any length, true or not.
  public func header(declaring length: UInt32) -> [UInt8] {
    Self.bytes(length) + Self.bytes(stream) + [type, flags]
  }

  /// `data 1 05 (3) 0a0161`: type, stream, flags, length and payload.
  public var description: String {
    let number = stream == Self.connectionStream ? "connection" : String(stream)
    let text = payload.isEmpty ? "" : " " + Self.hexadecimal(payload)
    return "\(Self.name(type)) \(number) \(Self.hexadecimal([flags])) (\(payload.count))\(text)"
  }

  /// The name of a frame type in transcripts.
  public static func name(_ type: UInt8) -> String {
    switch type {
    case request: "request"
    case response: "response"
    case data: "data"
    case hello: "hello"
    case cancel: "cancel"
    case ping: "ping"
    case goAway: "goaway"
    case credit: "credit"
    default: "type-" + hexadecimal([type])
    }
  }

  /// Two digits a byte, lower case.
  public static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }
}

extension [UInt8] {
  /// Reads hexadecimal digits; spaces, line ends, `|` and everything from `#` to the end of a line
  /// are notes for the reader.
  ///
  /// Anything else is a mistake in the test, and ends it.
  public init(hexadecimal text: String) {
    var digits: [UInt8] = []
    for line in text.split(separator: "\n") {
      for character in line.prefix(while: { $0 != "#" })
      where !character.isWhitespace && character != "|" {
        guard let digit = character.hexDigitValue else {
          preconditionFailure("\(character) is no hexadecimal digit")
        }
        digits.append(UInt8(digit))
      }
    }
    precondition(digits.count % 2 == 0, "an odd number of hexadecimal digits")
    self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
