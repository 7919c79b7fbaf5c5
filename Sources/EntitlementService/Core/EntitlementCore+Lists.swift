internal import RPCKit
internal import ServiceKit

extension EntitlementCore {
  /// A page of a list, and the token of the next; empty after the last.
  ///
  /// `filter` tells the list from others of the method. `read` returns records after a cursor, as many as it is
  /// told behind those that are skipped; `cursor` is what a record is found again by.
  func page<Record: Sendable>(
    _ asked: RequestedPage.Asked,
    of filter: [String],
    _ call: CallContext,
    cursorCount: Int,
    cursor: (Record) -> [String],
    _ read:
      @escaping @Sendable (
        _ cursor: [String]?, _ skipped: Int, _ count: Int, borrowing ReadTransaction
      ) throws -> [Record]
  ) async throws -> (records: ArraySlice<Record>, next: String) {
    let page = try tokens.page(
      asked,
      cursorCount: cursorCount,
      TokenSealer.PageBinding(
        caller: call.caller.description,
        filter: [call.method.fullName] + filter
      )
    )
    let (start, skipped, size) = (page.cursor, page.skippedCount, page.size)
    // One more than asked for says whether there is another page.
    let found = try await store.read { tx in try read(start, skipped, size + 1, tx) }
    return page.cut(found, after: cursor)
  }
}
