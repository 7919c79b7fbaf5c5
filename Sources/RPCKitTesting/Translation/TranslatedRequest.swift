internal import RPCKit

/// The contents of the Request frame of a call, for networks that speak something else than frames.
struct TranslatedRequest {
  /// A name in lower case and a value.
  typealias Field = (name: String, value: String)

  /// Flags of frames, see docs/reference/protocol.md.
  enum Flags {
    static let remoteClosed: UInt8 = 0x01
    static let remoteOpen: UInt8 = 0x02
    static let noData: UInt8 = 0x04
    static let deflated: UInt8 = 0x10
  }

  /// `/package.Service/Method`.
  private(set) var path = ""
  private(set) var metadata: [Field] = []
  /// How long the call may take; 0 is no bound.
  private(set) var timeoutNanoseconds: UInt64 = 0
  /// The message that the frame carries; nil when messages follow in frames of their own.
  private(set) var message: [UInt8]?
  /// Whether that message is deflated.
  let isDeflated: Bool
  /// Whether the client sends nothing after the message.
  let isComplete: Bool
  /// Whether either side streams.
  let isStreaming: Bool

  /// Reads a Request frame; nil when it is malformed.
  init?(_ frame: WireFrame) {
    guard let envelope = WireMessage.fields(frame.payload) else { return nil }
    isComplete = frame.flags & Flags.remoteOpen == 0
    isStreaming = frame.flags & (Flags.remoteOpen | Flags.remoteClosed) != 0
    isDeflated = frame.flags & Flags.deflated != 0
    var service = ""
    var method = ""
    var payload: [UInt8] = []
    for (field, value) in envelope {
      switch (field, value) {
      case (1, .bytes(let bytes)): service = String(decoding: bytes, as: UTF8.self)
      case (2, .bytes(let bytes)): method = String(decoding: bytes, as: UTF8.self)
      case (3, .bytes(let bytes)): payload = bytes
      case (4, .number(let number)): timeoutNanoseconds = number
      case (5, .bytes(let bytes)): metadata.append(Self.pair(bytes))
      default: break
      }
    }
    path = "/\(service)/\(method)"
    if frame.flags & Flags.noData == 0 { message = payload }
  }

  /// Whether the server answers with a stream; `streamedRequests` has the paths of methods whose client alone
  /// streams.
  func hasStreamOfResponses(_ streamedRequests: Set<String>) -> Bool {
    isStreaming && !(streamedRequests.contains(path) && !isComplete)
  }

  private static func pair(_ bytes: [UInt8]) -> Field {
    var pair: Field = ("", "")
    for (field, value) in WireMessage.fields(bytes) ?? [] {
      guard case .bytes(let bytes) = value else { continue }
      let text = String(decoding: bytes, as: UTF8.self)
      if field == 1 { pair.name = text } else if field == 2 { pair.value = text }
    }
    return pair
  }

  /// A message in its envelope, as gRPC and Connect have it: one byte of flags, four of length.
  static func envelope(_ message: [UInt8], isDeflated: Bool) -> [UInt8] {
    [isDeflated ? 1 : 0] + withBigEndian(UInt32(message.count)) + message
  }

  private static func withBigEndian(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
  }
}

extension Set<String> {
  /// The paths of the methods whose client streams and whose server answers once.
  init(streamedRequestsOf methods: [MethodDescriptor]) {
    self.init(
      methods.lazy.filter { $0.kind == .clientStreaming }.map { "/\($0.service)/\($0.method)" }
    )
  }
}
