/// Turns bytes into requests: strict HTTP/1.1 (RFC 9112), GET and HEAD only, no bodies.
///
/// Refused although a lenient server would let it pass, because each has been used to smuggle
/// requests: line feeds without carriage return, folded header lines, blanks before a colon,
/// absolute targets, bytes outside of printable ASCII, repeated `Host` or `Content-Length`.
///
/// A state machine without I/O or clock. The memory it holds is bounded by the limits.
public enum HTTPRequestParser: ~Copyable {
  /// Collecting the request line. Next: `header`, `failed`.
  case requestLine(RequestLine)
  /// Collecting header lines. Next: `requestLine` after the empty line, `failed`.
  case header(Header)
  /// Terminal: where the next request would start is not known any more.
  case failed(HTTPRejection)

  /// State while the request line arrives.
  public struct RequestLine: Sendable {
    var line = HTTPLine()
    let limits: HTTPLimits
  }

  /// State while header lines arrive.
  public struct Header: Sendable {
    var line = HTTPLine()
    var lineCount = 0
    var byteCount = 0
    var fields = HTTPHeaderFields()
    let start: HTTPRequestStart
    let limits: HTTPLimits
  }

  /// What came of some bytes.
  public enum Outcome: Sendable, Hashable {
    /// The request continues; all bytes were taken.
    case needMore
    /// A request is complete; bytes after it were not looked at.
    case request(HTTPRequest)
    /// No request: answer with the status of the reason and close.
    case reject(HTTPRejection)
  }

  /// Makes a parser at the start of a connection.
  public init(limits: HTTPLimits) {
    self = .requestLine(RequestLine(limits: limits))
  }

  /// Whether a request has begun and is not complete.
  public var isInsideRequest: Bool {
    switch self {
    case .requestLine(let state): !state.line.isUntouched
    case .header: true
    case .failed: false
    }
  }

  /// Takes bytes from `start` on, up to the end of one request, and says how many it took.
  public mutating func receive(
    _ bytes: Span<UInt8>,
    from start: Int = 0
  ) -> (byteCount: Int, outcome: Outcome) {
    var index = start
    while index < bytes.count {
      let outcome = receive(bytes[index])
      index += 1
      if outcome != .needMore { return (index - start, outcome) }
    }
    return (index - start, rejection.map(Outcome.reject) ?? .needMore)
  }

  private var rejection: HTTPRejection? {
    switch self {
    case .requestLine: nil
    case .header: nil
    case .failed(let rejection): rejection
    }
  }

  private mutating func receive(_ byte: UInt8) -> Outcome {
    switch consume self {
    case .requestLine(var state):
      do {
        if let start = try state.append(byte) {
          self = .header(Header(start: start, limits: state.limits))
        } else {
          self = .requestLine(state)
        }
        return .needMore
      } catch {
        self = .failed(error)
        return .reject(error)
      }
    case .header(var state):
      do {
        guard let request = try state.append(byte) else {
          self = .header(state)
          return .needMore
        }
        self = .requestLine(RequestLine(limits: state.limits))
        return .request(request)
      } catch {
        self = .failed(error)
        return .reject(error)
      }
    case .failed(let rejection):
      self = .failed(rejection)
      return .reject(rejection)
    }
  }
}

extension HTTPRequestParser.RequestLine {
  /// Takes a byte; gives the parts of the line when it ended it.
  fileprivate mutating func append(_ byte: UInt8) throws(HTTPRejection) -> HTTPRequestStart? {
    let isComplete = try line.append(byte)
    guard line.bytes.count <= limits.requestLineByteCountMax else { throw .targetTooLong }
    return isComplete ? try HTTPRequestStart(line: line.bytes) : nil
  }
}

extension HTTPRequestParser.Header {
  /// Takes a byte; gives the request when it ended the empty line.
  fileprivate mutating func append(_ byte: UInt8) throws(HTTPRejection) -> HTTPRequest? {
    byteCount += 1
    guard byteCount <= limits.headerByteCountMax else { throw .headerTooLarge }
    guard try line.append(byte) else { return nil }
    if line.bytes.isEmpty { return try fields.request(start) }
    lineCount += 1
    guard lineCount <= limits.headerLineCountMax else { throw .headerTooLarge }
    try fields.add(line: line.bytes)
    line = HTTPLine()
    return nil
  }
}

/// One line while it arrives: printable ASCII, blanks and tabs, ended by CR LF and nothing else.
struct HTTPLine: Sendable {
  private(set) var bytes: [UInt8] = []
  private var hasCarriageReturn = false

  /// Whether not even the line end has begun to arrive.
  var isUntouched: Bool { bytes.isEmpty && !hasCarriageReturn }

  /// Takes a byte; true when it ended the line.
  mutating func append(_ byte: UInt8) throws(HTTPRejection) -> Bool {
    if hasCarriageReturn {
      guard byte == 0x0A else { throw .badRequest }
      return true
    }
    switch byte {
    case 0x0D: hasCarriageReturn = true
    case 0x09, 0x20...0x7E: bytes.append(byte)
    default: throw .badRequest
    }
    return false
  }
}
