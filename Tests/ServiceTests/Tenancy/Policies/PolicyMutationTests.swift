import ServiceKit

import Testing

@testable import AccessEngine
@testable import ServiceTesting

/// Policies come from people: whatever is wrong with one is said, and nothing traps.
@Suite("Policies with random mistakes")
struct PolicyMutationTests {
  @Test("A policy with mistakes anywhere loads or is refused with their places")
  func load_mutated_neverTraps() throws {
    let seed = SeededGenerator.seed("POLICY_SEED")
    var random = SeededGenerator(state: seed)
    let texts = [try PolicyFile.bytes("smart-home"), [UInt8](LibraryPolicy.text.utf8)]
    let values = try texts.map {
      try JSONReader.read($0, limits: JSONLimits(byteCountMax: 1 << 20))
    }
    var refusedCount = 0
    for round in 0..<1500 {
      var mutated = values[round % 2]
      for _ in 0..<(1 + Int(random.next() % 3)) { mutated = Self.mutate(mutated, &random) }
      let other = round % 5 == 0 ? values[(round + 1) % 2] : nil
      let sources = [mutated, other].compactMap { $0 }.enumerated().map {
        PolicySource(name: "\($0).json", text: [UInt8]($1.text.utf8))
      }
      do {
        _ = try Policy.load(sources)
      } catch {
        refusedCount += 1
        #expect(!error.problems.isEmpty, "round \(round), seed \(seed)")
        let isPlaced = error.problems.allSatisfy { $0.source.hasSuffix(".json") }
        #expect(isPlaced, "round \(round), seed \(seed): \(error)")
      }
    }
    #expect(refusedCount > 500, "seed \(seed)")
  }

  /// Changes one value somewhere in a text.
  private static func mutate(_ value: JSONValue, _ random: inout SeededGenerator) -> JSONValue {
    let stops = random.next() % 6 == 0
    switch value {
    case .object(let object) where !object.members.isEmpty && !stops:
      let member = object.members[Int(random.next() % UInt64(object.members.count))]
      var changed = object
      switch random.next() % 12 {
      case 0: changed[member.name] = nil
      case 1: changed["\(member.name)_"] = member.value
      default: changed[member.name] = mutate(member.value, &random)
      }
      return .object(changed)
    case .array(let elements) where !elements.isEmpty && !stops:
      let place = Int(random.next() % UInt64(elements.count))
      var changed = elements
      switch random.next() % 12 {
      case 0: changed.remove(at: place)
      case 1: changed.append(elements[place])
      default: changed[place] = mutate(elements[place], &random)
      }
      return .array(changed)
    default:
      let others: [JSONValue] = [
        .null, true, -1, 70_000, "", "*", "system", "device", "book", [], ["system"], [:],
        ["a": 1], .number(JSONNumber(1e308) ?? JSONNumber(0)), "number", "color",
        ["celsius": ["kind": "number", "required": true]],
        ["limit": "maxBooks", "of": "library"],
      ]
      return others[Int(random.next() % UInt64(others.count))]
    }
  }
}
