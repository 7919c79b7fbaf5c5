import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("What the permission cache believes")
struct PermissionCacheTests {
  private let key = PermissionCache.Key(subject: "usr_1", action: "device.unlock", entity: "dev_1")
  private let allowed = PermissionDecision(isAllowed: true, reason: "ALLOWED")

  private func at(_ seconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
  }

  /// A cache whose push stream is alive until second 10, with one answer that expires at second 300.
  private func filled() -> PermissionCache {
    var cache = PermissionCache(entryCountMax: 100, lease: .seconds(10))
    cache.extendLease(at: at(0))
    cache.store(
      allowed,
      ancestors: ["dev_1", "unt_1", "prt_1"],
      for: key,
      cache.ticket,
      expires: at(300)
    )
    return cache
  }

  @Test("An answer is believed until its lease or its life ends")
  func answer_leaseAndLife_bound() {
    var cache = filled()
    #expect(cache.answer(key, at: at(9)) == .known(allowed))
    #expect(cache.answer(key, at: at(10)) == .doubtful)
    cache.extendLease(at: at(990))
    #expect(cache.answer(key, at: at(299)) == .known(allowed))
    #expect(cache.answer(key, at: at(300)) == .unknown)
  }

  @Test("A change of the subject or of anything above the entity ends an answer, another does not")
  func forget_scope_isKept() {
    var cache = filled()
    cache.forget(subject: "usr_2")
    cache.forget(subtree: "unt_2")
    #expect(cache.answer(key, at: at(1)) == .known(allowed))
    cache.forget(subtree: "unt_1")
    #expect(cache.answer(key, at: at(1)) == .unknown)
    cache = filled()
    cache.forget(subject: "usr_1")
    #expect(cache.answer(key, at: at(1)) == .unknown)
    cache = filled()
    cache.forgetAll()
    #expect(cache.answer(key, at: at(1)) == .unknown)
  }

  @Test("An answer whose call began before a change of its scope is not kept")
  func store_overtaken_isDropped() {
    var cache = PermissionCache(entryCountMax: 100, lease: .seconds(10))
    cache.extendLease(at: at(0))
    let before = cache.ticket
    cache.forget(subtree: "prt_1")
    cache.store(allowed, ancestors: ["dev_1", "prt_1"], for: key, before, expires: at(300))
    #expect(cache.answer(key, at: at(1)) == .unknown)
    #expect(!cache.isCurrent(before, subject: "usr_1", ancestors: ["dev_1", "prt_1"]))
    #expect(cache.isCurrent(before, subject: "usr_1", ancestors: ["dev_2", "prt_2"]))
    let after = cache.ticket
    cache.forget(subject: "usr_2")
    cache.store(allowed, ancestors: ["dev_1", "prt_1"], for: key, after, expires: at(300))
    #expect(cache.answer(key, at: at(1)) == .known(allowed))
  }

  @Test("Memory stays bounded, and what is used stays")
  func store_many_isBounded() {
    var cache = filled()
    for index in 0..<10_000 {
      let other = PermissionCache.Key(subject: "usr_\(index + 9)", action: "a", entity: "dev_1")
      cache.store(allowed, ancestors: ["dev_1"], for: other, cache.ticket, expires: at(300))
      #expect(cache.count <= 101)
      #expect(cache.answer(key, at: at(1)) == .known(allowed))
    }
    for index in 0..<1000 { cache.forget(subject: "usr_\(index + 100_000)") }
    #expect(cache.count <= 101)
  }

  @Test("A question that is longer than any of ours is not kept, and the longest of ours is")
  func store_longName_isNotKept() {
    var cache = filled()
    for (count, isKept) in [(128, true), (129, false)] {
      let long = String(repeating: "u", count: count)
      for key in [
        PermissionCache.Key(subject: long, action: "a", entity: "dev_1"),
        PermissionCache.Key(subject: "usr_1", action: long, entity: "dev_1"),
        PermissionCache.Key(subject: "usr_1", action: "a", entity: long),
      ] {
        cache.store(allowed, ancestors: [key.entity], for: key, cache.ticket, expires: at(300))
        #expect(cache.answer(key, at: at(1)) == (isKept ? .known(allowed) : .unknown))
      }
    }
  }

  @Test("A place of the table is as large as a line of the processor's memory")
  func entry_size_isOneLine() {
    #expect(MemoryLayout<PermissionTable.Entry?>.stride == 64)
  }

  @Test("Random steps leave the same answers in the table as in a dictionary")
  func table_randomSteps_agreesWithDictionary() throws {
    var generator = SplitMix(state: 11)
    var table = PermissionTable()
    var expected: [PermissionCache.Key: UInt64] = [:]
    for step in 0..<20_000 {
      let key = PermissionCache.Key(
        subject: "usr_\(generator.next(8))",
        action: "a\(generator.next(2))",
        entity: "dev_\(generator.next(30))"
      )
      let name = try #require(key.name)
      let place = table.find(name)
      #expect(place.map { table[$0].answer.began } == expected[key])
      if let place, generator.next(2) == 0 {
        table.remove(at: place)
        expected[key] = nil
      } else {
        table.insert(
          PermissionTable.Entry(
            name: name,
            expires: at(300),
            .init(allowed, subject: key.subject, ancestors: [], began: UInt64(step))
          )
        )
        expected[key] = UInt64(step)
      }
      #expect(table.count == expected.count)
    }
    for (key, began) in expected {
      let name = try #require(key.name)
      let place = table.find(name)
      #expect(place.map { table[$0].answer.began } == began)
    }
  }

  @Test("Ten thousand random steps never believe what a plain list of events denies")
  func answer_randomSteps_agreesWithModel() {
    var generator = SplitMix(state: 7)
    for _ in 0..<50 {
      var cache = PermissionCache(entryCountMax: 8, lease: .seconds(100_000))
      cache.extendLease(at: at(0))
      // For each key the number of the event at which its stored call began, and all events.
      var stored: [PermissionCache.Key: (began: Int, expires: Int64)] = [:]
      var events: [(subject: String?, subtree: String?)] = []
      var pending: [(PermissionCache.Key, PermissionCache.Ticket, Int)] = []
      var now: Int64 = 0
      for _ in 0..<200 {
        let subject = "usr_\(generator.next(3))"
        let unit = Int(generator.next(3))
        let key = PermissionCache.Key(subject: subject, action: "a", entity: "dev_\(unit)")
        switch generator.next(6) {
        case 0:
          cache.forget(subject: subject)
          events.append((subject, nil))
        case 1:
          cache.forget(subtree: "unt_\(unit)")
          events.append((nil, "unt_\(unit)"))
        case 2: now += Int64(generator.next(5))
        case 3: pending.append((key, cache.ticket, events.count))
        case 4:
          guard !pending.isEmpty else { continue }
          let (key, ticket, began) = pending.removeFirst()
          let unit = "unt_\(key.entity.last ?? "0")"
          cache.store(
            allowed,
            ancestors: [key.entity, unit],
            for: key,
            ticket,
            expires: at(now + 10)
          )
          stored[key] = (began, now + 10)
        default:
          guard case .known = cache.answer(key, at: at(now)) else { continue }
          let fact = stored[key]
          #expect(fact != nil && now < fact!.expires)
          let later = events[(fact?.began ?? 0)...]
          #expect(!later.contains { $0.subject == subject || $0.subtree == "unt_\(unit)" })
        }
      }
    }
  }
}

/// A small generator whose seed replays a run.
private struct SplitMix {
  private var random: SimulationRandom

  init(state: UInt64) { random = SimulationRandom(seed: state) }

  mutating func next(_ bound: UInt64) -> UInt64 { random.next() % bound }
}
