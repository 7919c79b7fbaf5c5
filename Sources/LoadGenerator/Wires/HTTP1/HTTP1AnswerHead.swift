internal import TextEncodings

/// The head of an answer of HTTP/1.1, as far as a client that counts needs it.
struct HTTP1AnswerHead {
  /// The outcome of reading.
  enum Result {
    /// More bytes are needed.
    case waiting
    /// The bytes are no such answer, for this reason.
    case broken(String)
    case head(HTTP1AnswerHead, byteCount: Int)
  }

  private(set) var status = 0
  private(set) var contentByteCount: Int?
  private(set) var isChunked = false
  /// Whether the connection ends with the answer.
  private(set) var isLast = false

  /// Reads a whole head; nothing is kept between attempts.
  static func read(_ bytes: Span<UInt8>) -> Result {
    var head = HTTP1AnswerHead()
    var start = 0
    while let lineFeed = bytes.place(of: 10, from: start) {
      let end = lineFeed > start && bytes[lineFeed - 1] == 13 ? lineFeed - 1 : lineFeed
      let line = bytes.extracting(start..<end)
      start = lineFeed + 1
      if head.status == 0 {
        guard head.readStatus(line) else { return .broken("it does not answer in HTTP/1.1") }
      } else if line.isEmpty {
        return .head(head, byteCount: start)
      } else if let problem = head.read(field: line) {
        return .broken(problem)
      }
    }
    return .waiting
  }

  private mutating func readStatus(_ line: Span<UInt8>) -> Bool {
    guard line.count >= 12, line.extracting(0..<7).isEqual("HTTP/1."),
      let number = line.extracting(9..<12).decimal, number >= 100
    else { return false }
    status = number
    isLast = line[7] == UInt8(ascii: "0")
    return true
  }

  /// Returns what is wrong with a field.
  private mutating func read(field line: Span<UInt8>) -> String? {
    guard let colon = line.place(of: UInt8(ascii: ":"), from: 0) else {
      return "a field without a name"
    }
    var start = colon + 1
    while start < line.count, line[start] == 32 || line[start] == 9 { start += 1 }
    let name = line.extracting(0..<colon)
    let value = line.extracting(start..<line.count)
    if name.isEqualIgnoringCase("content-length") {
      guard let count = value.decimal else { return "a content-length" }
      contentByteCount = count
    } else if name.isEqualIgnoringCase("transfer-encoding") {
      isChunked = true
    } else if name.isEqualIgnoringCase("connection") {
      if value.isEqualIgnoringCase("close") { isLast = true }
    }
    return nil
  }
}
