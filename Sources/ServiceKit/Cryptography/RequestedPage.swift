package import RPCKit

/// The page of a list that a caller asks for: where it begins and how many elements it has.
///
/// One rule for the lists of all services. A page token is bound to its caller and to what is listed, and
/// carries the size of the page that it came with. Beside a token, a size is how large the next page is to be,
/// and no size is the size as before, so that the token alone goes on.
package struct RequestedPage: Sendable {
  /// Elements on a page when nobody says.
  package static let sizeStandard = 50

  /// Where the page before ended; nil for the first one.
  package let cursor: [String]?
  /// Elements on it, at most.
  package let size: Int
  /// Elements on the pages before it, of a page that is named by its number; 0 behind a token.
  package let skippedCount: Int
  /// Whether the page is named by its number.
  package let isCounted: Bool
  private let seal: @Sendable ([UInt8]) -> String

  /// How far pages can be counted: every page costs what all before it cost.
  package static let countedMax = 10_000

  /// The page that a request asks for.
  package struct Asked: Sendable {
    let size: UInt32
    let token: String
    let number: UInt32
    let sizeStandard: Int

    /// The fields of a request; size and number are 0 and the token is empty where nothing is said.
    ///
    /// Pages are counted from 1.
    package init(
      size: UInt32,
      token: String,
      number: UInt32 = 0,
      sizeStandard: Int = RequestedPage.sizeStandard
    ) {
      (self.size, self.token, self.sizeStandard) = (size, token, sizeStandard)
      self.number = number
    }

    /// The problem of a page that is named twice or counted too far, with its reason; nil for others.
    func problem(size: Int) -> (reason: String, problem: String)? {
      guard number > 0 else { return nil }
      guard token.isEmpty else { return ("PAGE_NAMED_TWICE", "must be 0 with a page token") }
      guard Int(number) * size > RequestedPage.countedMax else { return nil }
      let most = RequestedPage.countedMax
      return (
        "PAGE_OUT_OF_REACH",
        "must be among the first \(most) elements; use page_token beyond them"
      )
    }
  }

  /// Reads what was asked for.
  ///
  /// `open` gives back what `seal` was given, and nil for a token that is not bound so; `invalid` is thrown then.
  package init(
    _ asked: Asked,
    cursorCount: Int,
    open: (String) -> [UInt8]?,
    seal: @escaping @Sendable ([UInt8]) -> String,
    invalid: @autoclosure () -> RPCError,
    refused: (_ problem: (reason: String, problem: String)) -> RPCError
  ) throws(RPCError) {
    self.seal = seal
    isCounted = asked.number > 0
    let size = asked.size == 0 ? nil : Int(asked.size)
    if let problem = asked.problem(size: size ?? asked.sizeStandard) { throw refused(problem) }
    guard !asked.token.isEmpty else {
      (cursor, self.size) = (nil, size ?? asked.sizeStandard)
      skippedCount = asked.number < 2 ? 0 : (Int(asked.number) - 1) * self.size
      return
    }
    guard let texts = open(asked.token).flatMap({ LengthPrefixedTexts.split($0) }),
      texts.count == cursorCount + 1, let before = Int(texts[0]), before > 0
    else { throw invalid() }
    (cursor, self.size) = (Array(texts.dropFirst()), size ?? before)
    skippedCount = 0
  }

  /// The page of what was read, one more than its size, and the token of the next; empty after the last.
  ///
  /// `cursor` is by what a record is found again.
  package func cut<Record>(
    _ found: [Record],
    after cursor: (Record) -> [String]
  ) -> (records: ArraySlice<Record>, next: String) {
    let records = found.prefix(size)
    guard found.count > size, let last = records.last else { return (records, "") }
    return (records, token(after: cursor(last)))
  }

  /// The token of the page that begins after `cursor`.
  package func token(after cursor: [String]) -> String {
    seal(LengthPrefixedTexts.joined(["\(size)"] + cursor))
  }
}

/// Texts with their lengths in front, so that no two lists join alike.
enum LengthPrefixedTexts {
  static func joined(_ texts: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    for text in texts {
      let count = UInt32(text.utf8.count)
      bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
      bytes += text.utf8
    }
    return bytes
  }

  /// Nil for bytes that `joined` did not make.
  static func split(_ bytes: [UInt8]) -> [String]? {
    var texts: [String] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      guard rest.count >= 4 else { return nil }
      let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(4)
      guard rest.count >= count else { return nil }
      texts.append(String(decoding: rest.prefix(count), as: UTF8.self))
      rest = rest.dropFirst(count)
    }
    return texts
  }
}
