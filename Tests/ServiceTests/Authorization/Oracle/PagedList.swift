import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
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

  /// What is wrong with readings of the list that were made while the states followed on each other.
  func mistakes(in readings: [[String]?], _ states: [NaiveEvaluator]) -> [String] {
    let all = states.map(expected)
    let known = all.compactMap(\.self)
    let untouched = (known.first ?? [:]).filter { entry in
      known.count == all.count && known.allSatisfy { $0[entry.key] == entry.value }
    }
    let anyTime = Set(known.flatMap(\.keys))
    return readings.flatMap { entries -> [String] in
      guard let entries else { return known.count < all.count ? [] : ["\(name) was refused"] }
      let counts = Dictionary(grouping: entries) { $0 }.mapValues(\.count)
      let missing = untouched.keys.sorted().filter { counts[$0] != 1 }.map {
        "\(name): \($0) is on it \(counts[$0] ?? 0) times, and nobody touched it"
      }
      let surplus = counts.keys.sorted().filter { !anyTime.contains($0) }.map {
        "\(name): \($0) is on it and never was to be"
      }
      return missing + surplus
    }
  }
}

extension NaiveEvaluator {
  /// What a user may do an action to, with the name and place of each; of what lies below `filter` or is linked
  /// from it by `link`, if they are given.
  func entities(
    _ user: String,
    _ action: String,
    type: String,
    within filter: String? = nil,
    link: String? = nil,
    now: Int64
  ) -> [String: String] {
    let found = entities.values.filter { entity in
      entity.type == type
        && filter.map { isBelow(entity.id, $0) || isLinked(entity.id, $0, link) } != false
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

  private func isLinked(_ id: String, _ source: String, _ name: String?) -> Bool {
    links.contains { $0.name == name && $0.from == source && $0.to == id }
  }

  private func isBelow(_ id: String, _ ancestor: String) -> Bool {
    if id == ancestor { return true }
    return entities[id]?.parent.map { isBelow($0, ancestor) } ?? false
  }
}
