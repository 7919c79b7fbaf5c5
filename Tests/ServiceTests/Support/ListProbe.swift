import Testing

/// Checks that a list is the same by tokens and by numbers of pages, and backwards in the other order.
enum ListProbe {
  /// One page: what is on it, and the token of the next.
  typealias Page = (ids: [String], next: String)

  /// Asks for a page.
  typealias Ask = (
    _ sortBy: String, _ size: UInt32, _ page: UInt32, _ token: String
  ) async throws -> Page

  /// `standard` names the order that the list has when none is asked for, and `other` the opposite one.
  static func check(
    _ standard: String,
    _ other: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ ask: Ask
  ) async throws {
    let whole = try await ask("", 1000, 0, "").ids
    #expect(whole.count > 2, sourceLocation: sourceLocation)
    for sortBy in ["", standard, other] {
      let expected = sortBy == other ? whole.reversed() : whole
      let byToken = try await byTokens(sortBy, ask)
      #expect(byToken == expected, "\(sortBy) by tokens", sourceLocation: sourceLocation)
      let byNumber = try await byNumbers(sortBy, whole.count, ask)
      #expect(byNumber == expected, "\(sortBy) by numbers", sourceLocation: sourceLocation)
    }
  }

  private static func byTokens(_ sortBy: String, _ ask: Ask) async throws -> [String] {
    var (ids, token) = ([String](), "")
    repeat {
      let page = try await ask(sortBy, 2, 0, token)
      ids += page.ids
      token = page.next
    } while !token.isEmpty
    return ids
  }

  private static func byNumbers(
    _ sortBy: String,
    _ count: Int,
    _ ask: Ask
  ) async throws -> [String] {
    var ids: [String] = []
    for number in 1...(count + 1) / 2 + 1 {
      ids += try await ask(sortBy, 2, UInt32(number), "").ids
    }
    return ids
  }
}
