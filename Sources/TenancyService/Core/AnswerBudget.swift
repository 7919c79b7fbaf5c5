internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// How much of a page fits into one answer.
///
/// 1000 devices with all the attributes they may have are more than a frame takes: without this, such a
/// page could never be read. It ends early instead, and the next one begins where it ends.
struct AnswerBudget {
  /// Bytes of the items of a page together, unless the first one alone is larger.
  ///
  /// Half of what a frame takes, so that there is room for what stands beside them.
  static let byteCountMax = 2 << 20
  /// The cost of an item besides its own bytes, at most: its tag and its length.
  private static let itemByteCount = 8

  private var byteCount = 0

  /// Takes an item; false when it no longer fits.
  mutating func takes(_ item: some Message) -> Bool {
    let isFirst = byteCount == 0
    byteCount += item.protobufBytes.count + Self.itemByteCount
    return isFirst || byteCount <= Self.byteCountMax
  }
}

/// A request for a page of a list.
protocol PagedRequest {
  var pageSize: UInt32 { get }
  var pageToken: String { get }
  /// Which page, counted from 1; 0 means that the token says it.
  var page: UInt32 { get }
  /// The order; empty for the list's own.
  var sortBy: String { get }
}

extension PagedRequest {
  var page: UInt32 { 0 }
  var sortBy: String { "" }
}

extension Tenancy_V1.ListAllEntityDeletionsRequest: PagedRequest {}
extension Tenancy_V1.ListConvertedRolesRequest: PagedRequest {}
extension Tenancy_V1.ListEntityDeletionsRequest: PagedRequest {}
extension Tenancy_V1.ListGuestPassesRequest: PagedRequest {}
extension Tenancy_V1.ListHistoryRequest: PagedRequest {}
extension Tenancy_V1.ListInvitationsRequest: PagedRequest {}
extension Tenancy_V1.ListPairingsRequest: PagedRequest {}
extension Tenancy_V1.ListReceivedInvitationsRequest: PagedRequest {}
extension Tenancy_V1.ListSubjectsRequest: PagedRequest {}
extension Tenancy_V1.ListSuspendedRequest: PagedRequest {}

extension TenancyCore {
  /// The page that a caller asks for; its token is good for the same caller and `filter` only.
  func asked(
    _ request: some PagedRequest,
    cursorCount: Int = 1,
    for filter: [String],
    _ caller: Caller
  ) throws -> RequestedPage {
    try tokens.page(
      .init(size: request.pageSize, token: request.pageToken, number: request.page),
      cursorCount: cursorCount,
      TokenSealer.PageBinding(
        caller: caller.description,
        filter: filter + (request.sortBy.isEmpty ? [] : [request.sortBy])
      )
    )
  }

  /// A page of rows as messages, as many as fit into one answer; `rows` holds one more than the page
  /// if there is another one.
  func page<Record, Item: Message>(
    of rows: [Record],
    _ asked: RequestedPage,
    after cursor: (Record) -> [String],
    message: (Record) -> Item
  ) throws(RPCError) -> (items: [Item], nextToken: String) {
    var budget = AnswerBudget()
    var items: [Item] = []
    for row in rows.prefix(asked.size) {
      let item = message(row)
      guard budget.takes(item) else { break }
      items.append(item)
    }
    guard !asked.isCounted || items.count == min(rows.count, asked.size) else {
      throw CountedPage.tooLarge
    }
    guard items.count < rows.count, !items.isEmpty else { return (items, "") }
    return (items, asked.token(after: cursor(rows[items.count - 1])))
  }
}
