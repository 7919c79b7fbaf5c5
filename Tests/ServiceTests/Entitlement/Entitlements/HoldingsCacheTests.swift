import ServiceKit
import Testing

@testable import EntitlementService

@Suite("The memory of holdings")
struct HoldingsCacheTests {
  private let subject = Subject(.organization, "org_1")
  private let cache = HoldingsCache(countMax: 4)

  private func ticket(_ subject: Subject) -> HoldingsCache.Ticket? {
    if case .unknown(let ticket) = cache.lookup(subject) { ticket } else { nil }
  }

  private func known(_ subject: Subject) -> Holdings? {
    if case .known(let holdings) = cache.lookup(subject) { holdings } else { nil }
  }

  @Test("What was read is known until it changes")
  func lookup_afterRead_isKnown() throws {
    cache.finish(try #require(ticket(subject)), subject, Holdings(subject: subject, version: 1))
    #expect(known(subject)?.version == 1)
    cache.beginChange(subject)
    #expect(known(subject) == nil)
    cache.endChange(subject)
    #expect(known(subject) == nil)
  }

  @Test("What was read while a change began, went on or ended is not kept")
  func finish_besideChange_isNotKept() throws {
    let holdings = Holdings(subject: subject, version: 1)
    let before = try #require(ticket(subject))
    cache.beginChange(subject)
    cache.finish(before, subject, holdings)
    #expect(known(subject) == nil)
    let during = try #require(ticket(subject))
    cache.finish(during, subject, holdings)
    #expect(known(subject) == nil)
    let across = try #require(ticket(subject))
    cache.endChange(subject)
    cache.finish(across, subject, holdings)
    #expect(known(subject) == nil)
    cache.finish(try #require(ticket(subject)), subject, Holdings(subject: subject, version: 2))
    #expect(known(subject)?.version == 2)
  }

  @Test("Two changes at once: nothing is kept before both have ended")
  func endChange_ofOneOfTwo_keepsWaiting() throws {
    cache.beginChange(subject)
    cache.beginChange(subject)
    cache.endChange(subject)
    cache.finish(try #require(ticket(subject)), subject, Holdings(subject: subject))
    #expect(known(subject) == nil)
    cache.endChange(subject)
    cache.finish(try #require(ticket(subject)), subject, Holdings(subject: subject))
    #expect(known(subject) != nil)
  }

  @Test("One write counts a subject once, and lets go of all of them")
  func changes_ofOneWrite_endTogether() throws {
    let changes = SubjectChanges(CacheFollower(cache: cache))
    changes.begin(subject)
    changes.begin(subject)
    changes.end()
    cache.finish(try #require(ticket(subject)), subject, Holdings(subject: subject))
    #expect(known(subject) != nil)
  }

  @Test("Memory is bounded, and what is used stays")
  func insert_many_isBounded() throws {
    for number in 0..<100 {
      let other = Subject.user("usr_\(number)")
      if known(subject) == nil {
        cache.finish(try #require(ticket(subject)), subject, Holdings(subject: subject))
        #expect(number == 0)
      }
      cache.finish(try #require(ticket(other)), other, Holdings(subject: other))
      #expect(cache.count <= 4)
    }
  }
}

/// Passes changes on to a cache alone.
private struct CacheFollower: SubjectFollower {
  let cache: HoldingsCache

  func beginChange(_ subject: Subject) { cache.beginChange(subject) }
  func endChange(_ subject: Subject) { cache.endChange(subject) }
  func timeline(of subject: Subject, in tx: borrowing WriteTransaction) -> [DueChange] { [] }
}
