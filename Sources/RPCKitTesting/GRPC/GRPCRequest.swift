internal import RPCKit

/// The Request frame of a call as the head of a request by gRPC.
struct GRPCRequest {
  /// Flags of frames, see docs/protocol.md.
  enum Flags {
    static let remoteClosed: UInt8 = 0x01
    static let remoteOpen: UInt8 = 0x02
    static let noData: UInt8 = 0x04
    static let deflated: UInt8 = 0x10
  }

  /// `/package.Service/Method`.
  private(set) var path = ""
  private(set) var fields: [HTTP2ClientSession.Field] = []
  /// The message that the frame carries; nil when messages follow in frames of their own.
  private(set) var message: [UInt8]?
  /// Whether the client sends nothing after the message.
  let isComplete: Bool
  /// Whether the server answers with a stream, as far as the frame says it.
  let hasStreamOfResponses: Bool

  /// Reads a Request frame; nil when it is malformed.
  init?(_ frame: WireFrame, authority: String) {
    guard let envelope = WireMessage.fields(frame.payload) else { return nil }
    isComplete = frame.flags & Flags.remoteOpen == 0
    hasStreamOfResponses = frame.flags & (Flags.remoteOpen | Flags.remoteClosed) != 0
    var service = ""
    var method = ""
    var payload: [UInt8] = []
    var metadata: [HTTP2ClientSession.Field] = []
    var timeout: UInt64 = 0
    for (field, value) in envelope {
      switch (field, value) {
      case (1, .bytes(let bytes)): service = String(decoding: bytes, as: UTF8.self)
      case (2, .bytes(let bytes)): method = String(decoding: bytes, as: UTF8.self)
      case (3, .bytes(let bytes)): payload = bytes
      case (4, .number(let number)): timeout = number
      case (5, .bytes(let bytes)): metadata.append(Self.pair(bytes))
      default: break
      }
    }
    path = "/\(service)/\(method)"
    if frame.flags & Flags.noData == 0 { message = payload }
    fields = [
      (":method", "POST"), (":scheme", "http"), (":authority", authority), (":path", path),
      ("te", "trailers"), ("content-type", "application/grpc"),
      // What frames deflate is gRPC's "deflate": a zlib stream (RFC 1950).
      ("grpc-encoding", "deflate"), ("grpc-accept-encoding", "deflate"),
    ]
    if timeout > 0 { fields.append(("grpc-timeout", Self.timeout(nanoseconds: timeout))) }
    fields += metadata
  }

  private static func pair(_ bytes: [UInt8]) -> HTTP2ClientSession.Field {
    var pair: HTTP2ClientSession.Field = ("", "")
    for (field, value) in WireMessage.fields(bytes) ?? [] {
      guard case .bytes(let bytes) = value else { continue }
      let text = String(decoding: bytes, as: UTF8.self)
      if field == 1 { pair.name = text } else if field == 2 { pair.value = text }
    }
    return pair
  }

  /// `grpc-timeout` in the finest unit that leaves eight digits, rounded up: the server does not give up first.
  static func timeout(nanoseconds: UInt64) -> String {
    let units: [(String, UInt64)] = [
      ("n", 1), ("u", 1000), ("m", 1_000_000), ("S", 1_000_000_000), ("M", 60_000_000_000),
    ]
    for (unit, length) in units {
      let count = nanoseconds / length + (nanoseconds % length == 0 ? 0 : 1)
      if count < 100_000_000 { return "\(count)\(unit)" }
    }
    return "\(nanoseconds / 3_600_000_000_000 + 1)H"
  }

  /// A message in its envelope: one byte of flags, four of length.
  static func envelope(_ message: [UInt8], isDeflated: Bool) -> [UInt8] {
    [isDeflated ? 1 : 0] + withBigEndian(UInt32(message.count)) + message
  }

  private static func withBigEndian(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
  }
}
