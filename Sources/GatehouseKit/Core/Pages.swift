/// A page of a list.
protocol AnswerPage: Decodable, Sendable {
  associatedtype Item: Sendable

  var items: [Item] { get }
  var nextPageToken: String? { get }
}

extension Core {
  /// All items of a list, page by page, for one person.
  func all<Page: AnswerPage>(
    _ path: String,
    query: [(String, String)] = [],
    as type: Page.Type
  ) async throws -> [Page.Item] {
    var items: [Page.Item] = []
    var token = ""
    let epoch = keeper.epoch
    repeat {
      let place = token.isEmpty ? [] : [("pageToken", token)]
      let page = try await call(Call(.get, path, query: query + place), as: type)
      guard keeper.epoch == epoch else { throw KitError.signedOut(.signedOut) }
      items += page.items
      token = page.nextPageToken ?? ""
    } while !token.isEmpty
    return items
  }
}
