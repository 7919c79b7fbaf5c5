import Contracts
import RPCKit
import ServiceKit

@testable import ServiceTesting

/// A list of TenancyService that is read page by page, and what is on it by the naive evaluator.
struct PagedList: Sendable {
  /// What a page has on it, by which an entry is known again, and the token of the next one.
  typealias Page = (entries: [String], next: String)

  let name: String
  let page: @Sendable (_ token: String) async throws -> Page
  /// The entries, each with everything whose change touches it; nil when the caller may not ask.
  let expected: @Sendable (NaiveEvaluator) -> [String: String]?

  /// Every entry of every page; nil when it was refused for lack of something to list.
  func read() async throws -> [String]? {
    var (entries, token): ([String], String) = ([], "")
    do {
      repeat {
        let page = try await page(token)
        entries += page.entries
        token = page.next
      } while !token.isEmpty && entries.count < 10_000
    } catch let error as RPCError where error.code == .notFound {
      return nil
    }
    return entries
  }

  /// What is wrong with a list that was read while the states followed on each other; nil when nothing
  /// is.
  func mistake(in entries: [String]?, _ states: [NaiveEvaluator]) -> String? {
    let all = states.map(expected)
    guard let entries else {
      return all.contains { $0 == nil } ? nil : "\(name) was refused"
    }
    let counts = Dictionary(grouping: entries) { $0 }.mapValues(\.count)
    let known = all.compactMap(\.self)
    guard let first = known.first else { return "\(name) was not refused" }
    let untouched = first.filter { entry in
      known.count == all.count && known.allSatisfy { $0[entry.key] == entry.value }
    }
    if let wrong = untouched.keys.sorted().first(where: { counts[$0] != 1 }) {
      return "\(name): \(wrong) is on it \(counts[wrong] ?? 0) times, and nobody touched it"
    }
    if let wrong = counts.keys.sorted().first(where: { key in known.allSatisfy { $0[key] == nil } })
    {
      return "\(name): \(wrong) is on it and never was to be"
    }
    return nil
  }
}

extension NaiveEvaluator {
  /// What a user may do an action to, with the name and place of each.
  func entities(
    _ user: String,
    _ action: String,
    type: String,
    within filter: String? = nil,
    now: Int64
  ) -> [String: String] {
    let found = entities.values.filter { entity in
      entity.type == type && filter.map { isBelow(entity.id, $0) } != false
        && decide(user, action, entity.id, stepUps: ["pwd"], features: [], now: now).reason
          == "ALLOWED"
    }
    return Dictionary(uniqueKeysWithValues: found.map { ($0.id, "\($0.name) \($0.parent ?? "")") })
  }

  /// Associations that pass a test: user, role and entity together are on one entry only.
  func roles(_ isMeant: (Association) -> Bool) -> [String: String] {
    let found = associations.filter { $0.role != "guest" && isMeant($0) }
    return Dictionary(
      uniqueKeysWithValues: found.map { ("\($0.user) \($0.role) \($0.entity)", "") }
    )
  }

  private func isBelow(_ id: String, _ ancestor: String) -> Bool {
    if id == ancestor { return true }
    return entities[id]?.parent.map { isBelow($0, ancestor) } ?? false
  }
}
