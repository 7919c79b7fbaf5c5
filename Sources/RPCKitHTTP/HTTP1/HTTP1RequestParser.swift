internal import RPCKit

/// Turns the bytes of a client into requests: strict HTTP/1.1 and HTTP/1.0 (RFC 9112).
///
/// A machine without I/O and clock. What comes of some bytes does not depend on how they were cut, and what it keeps
/// is bounded by the limits. See docs/decisions/0156.
package struct HTTP1RequestParser: ~Copyable {
  /// The event in the bytes.
  package enum Event: Equatable {
    /// All bytes were taken, and more are needed.
    case needMoreBytes
    /// A request begins.
    case head(HTTP1Request)
    /// Content of the request, at this place of the bytes that were given.
    case content(Range<Int>)
    /// The request is complete; the next one may follow.
    case end
    /// No request: the same from now on, whatever comes.
    case rejected(HTTP1Rejection)
  }

  private enum State {
    /// Lines that were empty before the request line. Next: `fields`, `failed`.
    case requestLine(emptyCount: Int)
    /// Next: `content`, `chunkHeader`, `end`, `failed`.
    case fields
    /// This many bytes of content are missing. Next: `end`.
    case content(Int)
    /// Next: `chunk`, `trailers`, `failed`.
    case chunkHeader
    /// This many bytes of a chunk are missing. Next: `chunkEnd`.
    case chunk(Int)
    /// The line end behind a chunk, of which the CR has come or not. Next: `chunkHeader`, `failed`.
    case chunkEnd(hasReturn: Bool)
    /// Next: `end`, `failed`.
    case trailers
    /// All of the request has come, which was not said yet. Next: `requestLine`.
    case end
    /// Terminal: nobody knows where the next request begins.
    case failed(HTTP1Rejection)
  }

  private let limits: HTTPLimits
  private var state = State.requestLine(emptyCount: 0)
  private var line = HTTP1Line()
  private var builder: HTTP1RequestBuilder?
  private var trailers: HTTP1FieldSection
  /// The request line and the fields of the request before.
  private var recentLine: (bytes: [UInt8], line: HTTP1RequestLine)?
  private var recent = RecentFields()
  /// The request before, for the next one that has the same request line and fields.
  private var recentRequest: HTTP1Request?
  private var extensionByteCount = 0
  private var rejectedPath = ""

  private static let recentLineByteCountMax = 256

  /// Makes a parser for the beginning of a connection.
  package init(_ limits: HTTPLimits) {
    self.limits = limits
    trailers = HTTP1FieldSection(limits)
  }

  /// Whether a head has begun to arrive and is not complete; empty lines in front of it do not count.
  package var isInsideHead: Bool {
    switch state {
    case .requestLine: line.hasBegun
    case .fields: true
    case .content, .chunkHeader, .chunk, .chunkEnd, .trailers, .end, .failed: false
    }
  }

  /// The path of the request whose head is not complete or was rejected; empty where none is to be seen.
  var path: String { builder?.path ?? rejectedPath }

  /// Bytes that are kept of what has not been said yet.
  var heldByteCount: Int { line.gathered.count + (builder?.byteCount ?? 0) }

  /// Content that is still to come, as far as that is known.
  var missingContentByteCount: Int? {
    switch state {
    case .content(let missing): missing
    case .end: 0
    case .requestLine, .fields, .chunkHeader, .chunk, .chunkEnd, .trailers, .failed: nil
    }
  }

  /// Reads on at `offset`, which is moved behind what was taken.
  ///
  /// To be called until it needs more bytes or rejects: the end of a request is said by itself, also when no
  /// bytes are left.
  package mutating func next(_ bytes: Span<UInt8>, _ offset: inout Int) -> Event {
    do throws(HTTP1Rejection) {
      while true {
        if let event = try step(bytes, &offset) { return event }
      }
    } catch {
      state = .failed(error)
      if let builder { rejectedPath = builder.path }
      line = HTTP1Line()
      builder = nil
      return .rejected(error)
    }
  }

  /// Takes one line or one piece of content; nil when there is nothing to say of it.
  private mutating func step(
    _ bytes: Span<UInt8>,
    _ offset: inout Int
  ) throws(HTTP1Rejection) -> Event? {
    switch state {
    case .requestLine(let emptyCount): return try readRequestLine(bytes, &offset, emptyCount)
    case .fields: return try readField(bytes, &offset)
    case .content(let missing):
      return readContent(bytes, &offset, missing) { $0 == 0 ? .end : .content($0) }
    case .chunkHeader: return try readChunkHeader(bytes, &offset)
    case .chunk(let missing):
      return readContent(bytes, &offset, missing) {
        $0 == 0 ? .chunkEnd(hasReturn: false) : .chunk($0)
      }
    case .chunkEnd(let hasReturn):
      guard offset < bytes.count else { return .needMoreBytes }
      guard bytes[offset] == (hasReturn ? 0x0A : 0x0D) else {
        throw .badRequest("a chunk is longer than its size says")
      }
      offset += 1
      state = hasReturn ? .chunkHeader : .chunkEnd(hasReturn: true)
      return nil
    case .trailers: return try readTrailer(bytes, &offset)
    case .end:
      state = .requestLine(emptyCount: 0)
      return .end
    case .failed(let rejection): throw rejection
    }
  }

  // MARK: - Heads

  private mutating func readRequestLine(
    _ bytes: Span<UInt8>,
    _ offset: inout Int,
    _ emptyCount: Int
  ) throws(HTTP1Rejection) -> Event? {
    let tooLong = HTTP1Rejection(414, "the request line is too long")
    guard
      let arrival = try line.next(
        bytes,
        &offset,
        byteCountMax: limits.requestLineByteCountMax,
        tooLong: tooLong
      )
    else { return .needMoreBytes }
    guard !arrival.isEmpty else {
      // Some clients send a line end behind their content (RFC 9112 section 2.2).
      guard emptyCount < 2 else { throw .badRequest("the request line is empty") }
      state = .requestLine(emptyCount: emptyCount + 1)
      return nil
    }
    switch arrival {
    case .inPlace(let range): try begin(bytes.extracting(range))
    case .gathered(let line): try begin(line.span)
    }
    state = .fields
    return nil
  }

  /// Begins a request by its first line.
  private mutating func begin(_ line: Span<UInt8>) throws(HTTP1Rejection) {
    if let recentLine, line.isEqual(to: recentLine.bytes.span) {
      builder = HTTP1RequestBuilder(recentLine.line, isRepeated: recentRequest != nil, limits)
      return
    }
    recentRequest = nil
    do {
      let requestLine = try HTTP1RequestLine(line)
      recentLine = nil
      if line.count <= Self.recentLineByteCountMax {
        recentLine = (line.indices.map { line[$0] }, requestLine)
      }
      builder = HTTP1RequestBuilder(requestLine, isRepeated: false, limits)
    } catch {
      rejectedPath = HTTP1RequestLine.path(inRejected: line)
      throw error
    }
  }

  private mutating func readField(
    _ bytes: Span<UInt8>,
    _ offset: inout Int
  ) throws(HTTP1Rejection) -> Event? {
    guard let arrival = try nextFieldLine(bytes, &offset) else { return .needMoreBytes }
    guard !arrival.isEmpty else { return try finishHead() }
    switch arrival {
    case .inPlace(let range): try builder?.add(bytes.extracting(range), &recent)
    case .gathered(let line): try builder?.add(line.span, &recent)
    }
    return nil
  }

  private mutating func finishHead() throws(HTTP1Rejection) -> Event? {
    guard let request = try finishedRequest() else { return nil }
    switch request.content {
    case .none: state = .end
    case .length(let byteCount): state = .content(byteCount)
    case .chunked:
      extensionByteCount = 0
      state = .chunkHeader
    }
    return .head(request)
  }

  private mutating func finishedRequest() throws(HTTP1Rejection) -> HTTP1Request? {
    guard var builder = builder.take() else { return nil }
    if let recentRequest, builder.isRepeated(recent) { return recentRequest }
    let request = try builder.finish(&recent)
    // What found no room cannot be compared with the next one.
    recentRequest = recentLine != nil && recent.wholeCount != nil ? request : nil
    return request
  }

  private mutating func nextFieldLine(
    _ bytes: Span<UInt8>,
    _ offset: inout Int
  ) throws(HTTP1Rejection) -> HTTP1Line.Arrival? {
    try line.next(
      bytes,
      &offset,
      byteCountMax: limits.fieldByteCountMax,
      tooLong: HTTP1FieldSection.tooLarge
    )
  }

  // MARK: - Content

  /// Takes as much as there is of content of which `missing` bytes are to come.
  private mutating func readContent(
    _ bytes: Span<UInt8>,
    _ offset: inout Int,
    _ missing: Int,
    _ next: (_ missing: Int) -> State
  ) -> Event {
    let count = min(missing, bytes.count - offset)
    guard count > 0 else { return .needMoreBytes }
    offset += count
    state = next(missing - count)
    return .content((offset - count)..<offset)
  }

  private mutating func readChunkHeader(
    _ bytes: Span<UInt8>,
    _ offset: inout Int
  ) throws(HTTP1Rejection) -> Event? {
    guard
      let arrival = try line.next(
        bytes,
        &offset,
        byteCountMax: HTTP1ChunkHeader.byteCountMax,
        tooLong: .badRequest("the line in front of a chunk is too long")
      )
    else { return .needMoreBytes }
    let header =
      switch arrival {
      case .inPlace(let range): try HTTP1ChunkHeader.read(bytes.extracting(range))
      case .gathered(let line): try HTTP1ChunkHeader.read(line.span)
      }
    extensionByteCount += header.extensionByteCount
    guard extensionByteCount <= HTTP1ChunkHeader.extensionTotalByteCountMax else {
      throw .badRequest("the extensions of chunks are too long")
    }
    if header.size == 0 {
      trailers = HTTP1FieldSection(limits)
      state = .trailers
    } else {
      state = .chunk(header.size)
    }
    return nil
  }

  /// Trailers are checked and dropped: nothing here is decided after the content was used.
  private mutating func readTrailer(
    _ bytes: Span<UInt8>,
    _ offset: inout Int
  ) throws(HTTP1Rejection) -> Event? {
    guard let arrival = try nextFieldLine(bytes, &offset) else { return .needMoreBytes }
    guard !arrival.isEmpty else {
      state = .end
      return nil
    }
    var none = RecentFields()
    let field =
      switch arrival {
      case .inPlace(let range): try trailers.next(bytes.extracting(range), &none)
      case .gathered(let line): try trailers.next(line.span, &none)
      }
    guard !Self.isForbiddenInTrailers(field.name) else {
      throw .badRequest("\(field.name) must not come behind the content")
    }
    return nil
  }

  /// Fields that would have to be known before the content (RFC 9110 section 6.5.1).
  private static func isForbiddenInTrailers(_ name: String) -> Bool {
    switch name {
    case "content-length", "transfer-encoding", "host", "authorization", "proxy-authorization",
      "cookie", "connection", "expect", "te", "trailer", "upgrade", "content-type",
      "content-encoding":
      true
    default: false
    }
  }
}
