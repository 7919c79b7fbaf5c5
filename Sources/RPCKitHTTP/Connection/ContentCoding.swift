internal import RPCKit

/// How messages are compressed, by the names that gRPC, Connect and HTTP share.
enum ContentCoding: String, CaseIterable {
  case gzip
  case deflate
  case identity

  /// The names for `grpc-accept-encoding` and its like.
  static let names = "gzip,deflate,identity"

  /// The format; nil for none.
  var format: CompressionFormat? {
    switch self {
    case .gzip: .gzip
    case .deflate: .zlib
    case .identity: nil
    }
  }

  /// How a request is compressed, by what its field says; identity without one.
  static func ofRequest(_ name: String, _ fields: HTTPFields) throws(RPCError) -> ContentCoding {
    guard let value = fields[name] else { return .identity }
    guard fields.only(name) != nil, let coding = ContentCoding(rawValue: value.lowercased()) else {
      throw .unknownCoding(value)
    }
    return coding
  }

  /// How answers may be compressed, by what the client says it can read: the first that it names and we have.
  static func ofResponse(_ name: String, _ fields: HTTPFields) -> ContentCoding {
    for member in fields.values(name).flatMap({ $0.split(separator: ",") }) {
      let type = MediaType(String(member))
      guard let coding = ContentCoding(rawValue: type.essence), !type.isRefused else { continue }
      return coding
    }
    return .identity
  }
}

extension RPCError {
  static func unknownCoding(_ name: String) -> RPCError {
    RPCError(
      .unimplemented,
      .protocolViolation,
      "compression \(name.prefix(64)) is not supported; use \(ContentCoding.names)"
    )
  }
}

extension HTTPConnection {
  /// Shows a message for a method as it was before it was compressed, or, if inflating it takes long, as it came beside
  /// what inflates it elsewhere.
  ///
  /// Returns why there is none, with the code `malformed` for one that cannot be inflated, or what `body` returns.
  func withReadable(
    _ bytes: Span<UInt8>,
    _ format: CompressionFormat?,
    for method: BoundMethod,
    malformed: StatusCode,
    _ body: (Span<UInt8>, Inflation?) -> RPCError?
  ) -> RPCError? {
    guard let format else { return body(bytes, nil) }
    let byteCountMax = method.requestByteCountMax
    let inflation = Inflation(format, byteCountMax: byteCountMax) { error in
      .notInflated(error, max: byteCountMax, malformed: malformed)
    }
    var inflated = ByteBuffer()
    do throws(InflateError) {
      let isInflated = try resources.compression.inflateIfShort(
        bytes,
        format,
        into: &inflated,
        byteCountMax: byteCountMax
      )
      guard isInflated else { return body(bytes, inflation) }
    } catch {
      return .notInflated(error, max: byteCountMax, malformed: malformed)
    }
    return inflated.withBytes { body($0, nil) }
  }
}

extension RPCError {
  fileprivate static func notInflated(
    _ error: InflateError,
    max byteCountMax: Int,
    malformed: StatusCode
  ) -> RPCError {
    guard error != .tooLarge else { return .inflatedMessageTooLarge(max: byteCountMax) }
    return RPCError(
      malformed,
      .malformedRequest,
      "the message cannot be inflated; send it complete and compressed as announced",
      cause: error
    )
  }
}

extension RPCError {
  /// A message that inflates to more than the server takes.
  static func inflatedMessageTooLarge(max: Int) -> RPCError {
    RPCError(
      .resourceExhausted,
      .requestTooLarge,
      "the inflated message is larger than \(max) bytes; send less at a time"
    )
  }
}
