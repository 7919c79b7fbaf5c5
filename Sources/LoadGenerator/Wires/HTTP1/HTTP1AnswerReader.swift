internal import RPCKit
internal import TextEncodings

/// Reads answers of HTTP/1.1 (RFC 9112): the status, and where the content ends.
struct HTTP1AnswerReader: ~Copyable {
  /// The outcome of reading.
  enum Step: Equatable {
    /// More bytes are needed.
    case waiting
    case complete
    /// The bytes are no such answer, for this reason.
    case broken(String)
  }

  private enum State {
    case head
    /// So many bytes of content are missing.
    case content(Int)
    case chunkSize
    /// So many bytes of a chunk are missing, and the end of its line.
    case chunk(Int)
    case trailers
    /// The content ends with the connection.
    case untilEnd
    case complete
  }

  private static let headByteCountMax = 64 << 10

  private var state = State.head
  private var input = ByteBuffer()
  private(set) var content = ByteBuffer()
  private(set) var status = 0
  /// Whether the connection ends with the answer.
  private(set) var isLast = false
  private let isHead: Bool

  /// `isHead` is for answers to HEAD, which have no content.
  init(isHead: Bool) {
    self.isHead = isHead
  }

  /// Takes the content of a complete answer; the next one may begin.
  mutating func take(content other: inout ByteBuffer) {
    swap(&content, &other)
    state = .head
  }

  /// Gives memory back that `take` took.
  mutating func give(back other: inout ByteBuffer) {
    other.truncate(to: 0)
    if content.isEmpty { swap(&content, &other) }
  }

  /// Takes bytes of an answer.
  mutating func read(_ bytes: Span<UInt8>) -> Step {
    input.append(bytes)
    while true {
      let step: Step? =
        switch state {
        case .head: readHead()
        case .content(let missing): readContent(missing)
        case .chunkSize: readChunkSize()
        case .chunk(let missing): readChunk(missing)
        case .trailers: readTrailers()
        case .untilEnd: readContent(.max)
        case .complete: input.isEmpty ? .complete : .broken("more follows the answer")
        }
      if let step { return step }
    }
  }

  /// The connection has ended; true when that is the end of the answer.
  mutating func end() -> Bool {
    guard case .untilEnd = state else { return false }
    state = .complete
    return true
  }

  // MARK: - Parts; nil goes on with the next one

  private mutating func readHead() -> Step? {
    let result = input.withBytes { HTTP1AnswerHead.read($0) }
    switch result {
    case .waiting:
      return input.byteCount > Self.headByteCountMax ? .broken("a head without an end") : .waiting
    case .broken(let problem): return .broken(problem)
    case .head(let head, let byteCount):
      input.consume(byteCount)
      return beginContent(head)
    }
  }

  private mutating func beginContent(_ head: HTTP1AnswerHead) -> Step? {
    guard head.status >= 200 else { return nil }
    status = head.status
    isLast = head.isLast
    if isHead || status == 204 || status == 304 {
      state = .complete
    } else if head.isChunked {
      state = .chunkSize
    } else if let byteCount = head.contentByteCount {
      state = byteCount == 0 ? .complete : .content(byteCount)
    } else {
      isLast = true
      state = .untilEnd
    }
    return nil
  }

  private mutating func readContent(_ missing: Int) -> Step? {
    let count = min(missing, input.byteCount)
    guard take(count) else { return .broken("the answer is too long") }
    if case .untilEnd = state { return .waiting }
    state = missing == count ? .complete : .content(missing - count)
    return missing == count ? nil : .waiting
  }

  private mutating func readChunkSize() -> Step? {
    guard let line = takeLine() else { return .waiting }
    let digits = line.prefix { $0 != UInt8(ascii: ";") }
    guard (1...8).contains(digits.count) else { return .broken("the size of a chunk") }
    var count = 0
    for byte in digits {
      guard let digit = byte.hexadecimalValue else { return .broken("the size of a chunk") }
      count = count << 4 | Int(digit)
    }
    state = count == 0 ? .trailers : .chunk(count)
    return nil
  }

  private mutating func readChunk(_ missing: Int) -> Step? {
    let count = min(missing, input.byteCount)
    guard take(count) else { return .broken("the answer is too long") }
    state = .chunk(missing - count)
    guard missing == count, let line = takeLine() else { return .waiting }
    state = .chunkSize
    return line.isEmpty ? nil : .broken("a chunk is longer than its size says")
  }

  private mutating func readTrailers() -> Step? {
    while let line = takeLine() {
      guard line.isEmpty else { continue }
      state = .complete
      return nil
    }
    return .waiting
  }

  // MARK: - Lines

  /// A line without its end; nil when that has not come.
  private mutating func takeLine() -> [UInt8]? {
    var line: [UInt8]?
    let count = input.withBytes { bytes in
      guard let end = bytes.place(of: 10, from: 0) else { return 0 }
      line = (0..<end).map { bytes[$0] }.filter { $0 != 13 }
      return end + 1
    }
    input.consume(count)
    return line
  }

  private mutating func take(_ count: Int) -> Bool {
    guard content.byteCount + count <= HTTPCall.answerByteCountMax else { return false }
    input.withBytes { content.append($0.extracting(0..<count)) }
    input.consume(count)
    return true
  }
}
