internal import RPCKit
internal import ServiceKit

/// A page that is named by its number, for applications that count pages.
struct CountedPage: Sendable {
  /// How far pages can be counted: every page costs what all before it cost.
  static let countedMax = 10_000

  static let tooLarge = ErrorCatalog.tenancy.invalid(
    "page_size",
    "PAGE_TOO_LARGE",
    "must be smaller: a page of this size does not fit into one answer"
  )

  /// Counted from 1; 0 means that the token says it.
  let number: UInt32

  /// INVALID_ARGUMENT for a page that is named in two ways.
  init(_ number: UInt32, token: String) throws(RPCError) {
    guard number == 0 || token.isEmpty else {
      throw ErrorCatalog.tenancy.invalid("page", "PAGE_NAMED_TWICE", "must be 0 with a page token")
    }
    self.number = number
  }

  /// Elements on the pages before this one; INVALID_ARGUMENT for a page that is counted too far.
  func skippedCount(_ size: Int) throws(RPCError) -> Int {
    let count = number < 2 ? 0 : (Int(number) - 1) * size
    guard number == 0 || count + size <= Self.countedMax else {
      throw ErrorCatalog.tenancy.invalid(
        "page",
        "PAGE_OUT_OF_REACH",
        "must be among the first \(Self.countedMax) elements; use page_token beyond them"
      )
    }
    return count
  }
}
