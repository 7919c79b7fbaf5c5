internal import RPCKit
internal import ServiceKit

/// The display names of people whom answers show, as AuthService said them lately.
///
/// What cannot be asked for is absent: an answer without a name is better than none.
final class NameDirectory: Sendable {
  /// A person; nil for one without an account.
  private struct Known {
    var name: String?
    var askedAt: Int64
  }

  /// How long a name is used, in milliseconds.
  private static let lifetime: Int64 = 300_000
  /// People who are remembered; when there are more, all are forgotten.
  private static let countMax = 10_000
  /// People who are asked for at a time.
  private static let askedCountMax = 1000

  private let accounts: any AccountDirectory
  private let clock: any WallClock
  private let known = Lock<[String: Known]>([:])

  init(_ accounts: any AccountDirectory, clock: any WallClock) {
    (self.accounts, self.clock) = (accounts, clock)
  }

  /// An answer with the names of those whom it shows.
  func named<Answer: ShowsPeople>(_ answer: Answer) async -> Answer {
    let people = answer.people
    guard !people.isEmpty else { return answer }
    let names = await names(of: people)
    var answer = answer
    answer.forEachPerson { id, name in
      name = names[id] ?? ""
      return name == DeletedUser.name
    }
    return answer
  }

  /// The names of some people, without those that are not known.
  func names(of ids: Set<String>) async -> [String: String] {
    let now = clock.now
    var names: [String: String] = [:]
    var unknown: [String] = []
    known.withLock { known in
      for id in ids {
        if id.hasPrefix(Pseudonym.prefix) {
          names[id] = DeletedUser.name
        } else if let person = known[id], now - person.askedAt < Self.lifetime {
          names[id] = person.name ?? DeletedUser.name
        } else {
          unknown.append(id)
        }
      }
    }
    while !unknown.isEmpty {
      let asked = Array(unknown.suffix(Self.askedCountMax))
      unknown.removeLast(asked.count)
      guard let found = try? await accounts.names(of: asked) else { return names }
      for id in asked { names[id] = found[id] ?? DeletedUser.name }
      remember(asked, found, at: now)
    }
    return names
  }

  /// Forgets a person whose account is deleted.
  func forget(_ userID: String) { known.withLock { $0[userID] = nil } }

  private func remember(_ asked: [String], _ found: [String: String], at now: Int64) {
    known.withLock { known in
      if known.count + asked.count > Self.countMax { known = [:] }
      for id in asked { known[id] = Known(name: found[id], askedAt: now) }
    }
  }
}
