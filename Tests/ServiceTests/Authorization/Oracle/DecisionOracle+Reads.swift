import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit

@testable import ServiceTesting

/// What users see of entities, cut to their access levels.
extension DecisionOracle {
  /// Somebody reads a few entities.
  mutating func read(as person: Person) async throws {
    for _ in 0..<10 { try await read(mostlyReached(by: person), as: person) }
  }

  /// People read what they hold roles on, or something below it: levels differ there, if anywhere.
  mutating func readHeld() async throws {
    for held in estate.heldRoles.shuffled(using: &estate.generator).prefix(80) {
      guard let person = estate.people.first(where: { $0.id == held.user }) else { continue }
      try await read(estate.pick(below(held.entity)) ?? held.entity, as: person)
    }
  }

  /// An entity is shown to those who may view it, and of its attributes those of their level.
  private mutating func read(_ id: String, as person: Person) async throws {
    guard let type = estate.naive.entities[id]?.type,
      let view = estate.lifecycle("view", of: type)
    else { return }
    let question = Question(user: person.id, action: view, entity: id)
    let expected = expected(question)
    tally.reads += 1
    do {
      let entity = try await product.entities.get(
        .init(entityId: id),
        options: try await product.call(person)
      )
      if expected.reason != "ALLOWED" { fail("read: \(question) is shown, not \(expected)") }
      compare(entity, question)
    } catch let error as RPCError {
      let isHidden = error.code == .notFound
      let agrees =
        expected.reason == "SUBJECT_SUSPENDED"
        || expected.reason != "ALLOWED" && isHidden == !expected.isKnown
      if !agrees { fail("read: \(question) is refused by \(error), not \(expected)") }
    }
  }

  /// Anything, mostly what is reached by a role of somebody's, or nearly all would be refused.
  private mutating func mostlyReached(by person: Person) -> String {
    let held = estate.naive.associations.filter { $0.user == person.id }
    let isAny = Int.random(in: 0..<4, using: &estate.generator) == 0
    guard !isAny, let role = estate.pick(held) else { return question().entity }
    return estate.pick(below(role.entity)) ?? role.entity
  }

  private mutating func compare(_ entity: Tenancy_V1.Entity, _ question: Question) {
    let (naive, now) = (estate.naive, product.clock.now)
    let declared =
      naive.types[entity.type]?["attributes"] as? [String: [String: Any]] ?? [:]
    let visible = naive.visibleAttributes(of: question.user, on: question.entity, now: now)
    let shown = Set(entity.visibleAttributes).intersection(declared.keys)
    let level = naive.accessLevel(of: question.user, on: question.entity, now: now)
    if shown != visible || entity.accessLevel != level {
      fail("read: \(question): \(shown) at \(entity.accessLevel), not \(visible) at \(level)")
    }
    let values = entity.attributes?.fields ?? [:]
    let leaked = values.keys.filter { declared[$0] != nil && !visible.contains($0) }
    let wrong = visible.filter { name in
      guard let value = naive.entities[question.entity]?.attributes[name] else { return false }
      return values[name].map { Self.equals($0, value) } != true
    }
    if !leaked.isEmpty || !wrong.isEmpty {
      fail("read: \(question): \(leaked) is not to be seen, or \(wrong) is wrong in \(values)")
    }
    tally.hidden += declared.count - visible.count
  }

  private static func equals(_ value: Google_Protobuf.Value, _ expected: NSObject) -> Bool {
    switch value.kind {
    case .boolValue(let flag): flag as NSNumber == expected
    case .stringValue(let text): text as NSString == expected
    case .numberValue(let number): number as NSNumber == expected
    default: false
    }
  }
}
