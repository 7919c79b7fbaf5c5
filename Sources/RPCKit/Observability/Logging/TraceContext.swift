/// Where a call belongs in a distributed trace: the W3C header `traceparent`.
///
/// Follows the W3C Recommendation "Trace Context" (23 November 2021), sections 3.2 and 4.3, and takes the flag
/// `random` from Level 2. A header that does not parse means that the trace starts over here.
public struct TraceContext: Sendable, Hashable {
  /// The key in call metadata.
  public static let metadataKey = "traceparent"

  /// Sixteen bytes that name the trace, in two halves; not both zero.
  public let traceID: TraceID
  /// Eight bytes that name the span of anyone who sends the header; not zero.
  public let spanID: UInt64
  /// Whether the trace is recorded.
  public let isSampled: Bool
  /// Whether the last seven bytes of the trace id are random, as its maker says.
  public let isRandom: Bool

  /// Names a trace.
  public struct TraceID: Sendable, Hashable, CustomStringConvertible {
    /// The first eight bytes.
    public let high: UInt64
    /// The last eight bytes.
    public let low: UInt64

    /// Makes an id; nil when all bytes are zero.
    public init?(high: UInt64, low: UInt64) {
      guard high != 0 || low != 0 else { return nil }
      self.high = high
      self.low = low
    }

    /// 32 hexadecimal digits.
    public var description: String { hexadecimal(high) + hexadecimal(low) }
  }

  /// Makes a context; nil when the span id is zero.
  public init?(traceID: TraceID, spanID: UInt64, isSampled: Bool, isRandom: Bool = false) {
    guard spanID != 0 else { return nil }
    self.init(trusted: traceID, spanID: spanID, isSampled: isSampled, isRandom: isRandom)
  }

  private init(trusted traceID: TraceID, spanID: UInt64, isSampled: Bool, isRandom: Bool) {
    self.traceID = traceID
    self.spanID = spanID
    self.isSampled = isSampled
    self.isRandom = isRandom
  }

  /// Parses a header; nil when it is not valid.
  ///
  /// Version 00 is exactly 55 characters of lower-case hexadecimal and dashes. Of later versions
  /// the first 55 are read, which must end there or continue with a dash; version ff is not valid.
  public init?(traceparent: String) {
    let text = Array(traceparent.utf8)
    guard text.count >= 55, text[2] == dash, text[35] == dash, text[52] == dash,
      let version = number(text[0..<2]), version != 0xFF,
      version == 0 ? text.count == 55 : text.count == 55 || text[55] == dash,
      let high = number(text[3..<19]), let low = number(text[19..<35]),
      let traceID = TraceID(high: high, low: low),
      let spanID = number(text[36..<52]), spanID != 0,
      let bits = number(text[53..<55])
    else { return nil }
    self.init(
      trusted: traceID,
      spanID: spanID,
      isSampled: UInt8(bits) & Self.sampledFlag != 0,
      isRandom: UInt8(bits) & Self.randomFlag != 0
    )
  }

  /// Starts a trace with random ids.
  public static func generate(
    isSampled: Bool,
    using random: inout some RandomNumberGenerator
  ) -> TraceContext {
    let low = random.next()
    guard let traceID = TraceID(high: random.next(), low: low == 0 ? 1 : low) else {
      preconditionFailure("the low half is not zero")
    }
    return TraceContext(
      trusted: traceID,
      spanID: nonZero(random.next()),
      isSampled: isSampled,
      isRandom: true
    )
  }

  /// The context to send onwards: the same trace, and a span id from a random number.
  public func child(spanID: UInt64) -> TraceContext {
    TraceContext(
      trusted: traceID,
      spanID: Self.nonZero(spanID),
      isSampled: isSampled,
      isRandom: isRandom
    )
  }

  /// The context to send onwards: the same trace, and a random span id.
  public func child(using random: inout some RandomNumberGenerator) -> TraceContext {
    child(spanID: random.next())
  }

  /// The context of a span that begins here, of which a sampler decided whether it is recorded.
  package func child(
    isSampled: Bool,
    using random: inout some RandomNumberGenerator
  ) -> TraceContext {
    TraceContext(
      trusted: traceID,
      spanID: Self.nonZero(random.next()),
      isSampled: isSampled,
      isRandom: isRandom
    )
  }

  /// The header, in version 00.
  ///
  /// Flags this version does not know are not passed on.
  public var traceparent: String {
    "00-\(traceID)-\(hexadecimal(spanID))-0\(flags)"
  }

  /// The flags of the header: 1 for sampled, 2 for random.
  package var flags: UInt8 {
    (isSampled ? Self.sampledFlag : 0) | (isRandom ? Self.randomFlag : 0)
  }

  private static let sampledFlag: UInt8 = 1
  private static let randomFlag: UInt8 = 2

  /// 16 hexadecimal digits, for log lines.
  public var spanIDText: String { hexadecimal(spanID) }

  /// Zero is not valid, and a generator that only gives zero must not hang anyone.
  private static func nonZero(_ number: UInt64) -> UInt64 { number == 0 ? 1 : number }
}

private let dash = UInt8(ascii: "-")

private func hexadecimal(_ number: UInt64) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}

/// Reads up to 16 lower-case hexadecimal digits.
private func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
  var result: UInt64 = 0
  for digit in digits {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      result = result << 4 | UInt64(digit - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"):
      result = result << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
    default: return nil
    }
  }
  return result
}

extension Metadata {
  /// The caller's `traceparent`; nil if there is none, or several: then the trace begins anew
  /// (W3C Trace Context, section 3.2.1, `test_multiple_header` of its suite).
  package var traceparent: String? {
    let values = values(TraceContext.metadataKey)
    return values.count == 1 ? values[0] : nil
  }
}
