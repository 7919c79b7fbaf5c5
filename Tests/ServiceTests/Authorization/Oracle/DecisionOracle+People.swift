import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit

@testable import ServiceTesting

/// Whom people see by `Users.Lookup`, against the naive evaluator.
extension DecisionOracle {
  /// Asks about random pairs of somebody who asks and somebody who is looked up.
  mutating func lookUp(count: Int) async throws {
    let service = product.options(of: "auth", to: "tenancy")
    let everybody = (estate.people + [estate.administrator]).map(\.id) + ["usr_unknown"]
    var left = count
    while left > 0 {
      let asker = estate.pick(everybody) ?? ""
      let asked = (0..<min(left, 20)).map { _ in estate.pick(everybody) ?? "" }
      let answer = try await product.people.lookup(
        .init(askerId: asker, userIds: asked),
        options: service
      )
      let found = Set(answer.userIds)
      if found.count != answer.userIds.count { fail("\(asker) sees somebody twice: \(asked)") }
      for person in asked {
        let isVisible = isVisible(person, to: asker)
        tally.lookedUp += 1
        if isVisible { tally.seen += 1 }
        if found.contains(person) != isVisible {
          fail("\(asker) looks up \(person), expected \(isVisible)")
        }
      }
      left -= asked.count
    }
  }

  private func isVisible(_ person: String, to asker: String) -> Bool {
    if person == asker { return true }
    let now = product.clock.now
    return estate.naive.associations.contains { held in
      guard held.user == person, held.until.map({ $0 > now }) ?? true, held.entity != "sys_root",
        let type = estate.naive.entities[held.entity]?.type,
        let action = estate.lifecycle("list_associations", of: type)
      else { return false }
      let question = Question(user: asker, action: action, entity: held.entity)
      return expected(question).reason == "ALLOWED"
    }
  }
}
