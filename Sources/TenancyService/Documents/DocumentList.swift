internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// The query of a caller for a collection.
struct DocumentList: Sendable {
  let collection: String
  let conditions: [DocumentCondition]
  let order: DocumentOrder
  let isDescending: Bool

  /// One page, and where the next one begins.
  struct Page: Sendable {
    var documents: [Tenancy_V1.Document] = []
    /// The last one that was looked at, if more follow.
    var last: DocumentEntry?
    /// How many there are on all pages; nil when they are not counted.
    var total: UInt64?
    /// The cost of sorting them.
    var sortCost: Int64 = 0

    /// Whether it has as many documents as were asked for, or all that are left.
    func isFull(_ size: Int) -> Bool { documents.count == size || last == nil }
  }

  /// Whether the page is one that is counted: with conditions nobody knows where the second one begins.
  func requireCountable(_ asked: RequestedPage) throws(RPCError) {
    guard asked.skippedCount > 0, !conditions.isEmpty else { return }
    throw ErrorCatalog.tenancy.invalid(
      "page",
      "PAGE_OUT_OF_REACH",
      "must be 1 with a filter; use page_token for the pages behind it"
    )
  }

  /// The page that is asked for, which is not read past what one call may cost.
  ///
  /// With conditions, a page shows which of the next documents pass, as lists of entities do
  /// (docs/decisions/0082).
  func page(
    of documents: UserDocuments,
    _ asked: RequestedPage,
    _ core: TenancyCore,
    _ meter: DocumentMeter,
    _ tx: borrowing some Queryable
  ) throws -> Page {
    let size = try documents.size(of: collection, tx)
    let sortCost = try sortCost(size, meter)
    let limit = asked.size
    let examinedCount =
      conditions.isEmpty ? limit : max(limit, DocumentLimits.examinedCountMax)
    let entries = try documents.entries(
      of: collection,
      by: order,
      isDescending: isDescending,
      after: asked.cursor.map { (key: Self.key($0[0]), id: $0[1]) },
      skipping: asked.skippedCount,
      limit: examinedCount + 1,
      tx
    )
    var page = Page(sortCost: sortCost)
    if conditions.isEmpty { page.total = UInt64(clamping: size.documentCount) }
    var (budget, byteCount) = (AnswerBudget(), Int64(0))
    var last: DocumentEntry?
    for (index, entry) in entries.enumerated() {
      byteCount += entry.byteCount
      let isRead = index == 0 || byteCount <= DocumentLimits.examinedByteCountMax
      guard isRead, index < examinedCount, page.documents.count < limit else {
        page.last = last
        break
      }
      guard let record = try documents.document(entry.id, in: collection, tx) else {
        preconditionFailure("a document that is gone within one snapshot")
      }
      if try passes(record) {
        let message = core.message(document: record)
        guard budget.takes(message) else {
          page.last = last
          break
        }
        page.documents.append(message)
      }
      last = entry
    }
    return page
  }

  private func passes(_ record: DocumentRecord) throws -> Bool {
    guard !conditions.isEmpty else { return true }
    let content = try DocumentContent(stored: record.json)
    return conditions.allSatisfy { $0.passes(content) }
  }

  /// The cost of a page to the budget of sorts until it is known, which also bounds how many of a user's sorts
  /// wait at a time; 0 for lists in an order that the store has.
  ///
  /// Throws SORT_BUDGET_SPENT for a user who has had too much sorted, before the store is asked: refusals take
  /// no other caller's turns.
  func reserveSort(
    of documents: UserDocuments,
    _ meter: DocumentMeter,
    now: Int64
  ) throws(RPCError) -> Int64 {
    guard case .field = order else { return 0 }
    let cost = DocumentLimits.sortedCountMax
    if let wait = documents.waitToSort(meter.sorts, now: now) {
      meter.refusals.increment(.sort)
      throw DocumentError.sortBudgetSpent(retryAfter: .milliseconds(wait))
    }
    documents.spendOnSorts(cost, meter.sorts, now: now)
    return cost
  }

  /// The cost of sorting a collection.
  private func sortCost(_ size: CollectionSize, _ meter: DocumentMeter) throws(RPCError) -> Int64 {
    guard case .field = order else { return 0 }
    guard size.documentCount <= DocumentLimits.sortedCountMax,
      size.byteCount <= DocumentLimits.sortedByteCountMax
    else {
      meter.refusals.increment(.sort)
      throw DocumentError.collectionTooLargeToSort
    }
    return max(size.documentCount, size.byteCount / DocumentLimits.sortedUnitByteCount)
  }

  // MARK: Cursors

  /// Where a page ends, for its token.
  static func cursor(_ entry: DocumentEntry) -> [String] {
    let key =
      switch entry.key {
      case .integer(let number): "i\(number)"
      case .real(let number): "r\(number.bitPattern)"
      case .text(let text): "t\(text)"
      case .null, .blob: preconditionFailure("a key that no order has")
      }
    return [key, entry.id]
  }

  /// The key of a cursor that was sealed.
  private static func key(_ text: String) -> SQLValue {
    let value = text.dropFirst()
    return switch text.first {
    case "i": .integer(Int64(value) ?? 0)
    case "r": .real(Double(bitPattern: UInt64(value) ?? 0))
    default: .text(String(value))
    }
  }
}
