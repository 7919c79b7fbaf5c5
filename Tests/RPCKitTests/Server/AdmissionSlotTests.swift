import Testing

@testable import RPCKit

/// When a call's place in admission control is given back and taken again.
@Suite("Admission slots")
struct AdmissionSlotTests {
  private enum Event {
    case begin, go, end
  }

  /// What a slot answers to events, one a second.
  private func answers(_ slot: inout AdmissionSlot, _ events: Event...) -> [Bool] {
    var answers: [Bool] = []
    for (second, event) in events.enumerated() {
      let now = MonotonicInstant(nanoseconds: Int64(second) * 1_000_000_000)
      let answer =
        switch event {
        case .begin: slot.beginWaiting(now: now)
        case .go: slot.endWaiting(now: now)
        case .end: slot.end()
        }
      answers.append(answer)
    }
    return answers
  }

  @Test("a slot is given back with the first wait and taken again with the end of the last")
  func waiting_nestedAndOverlapping_isOne() {
    var slot = AdmissionSlot()
    let nested = answers(&slot, .begin, .begin, .go, .begin, .go, .go)
    #expect(nested == [true, false, false, false, false, true])
    #expect(!slot.isWaiting && slot.waitedNanoseconds == 5_000_000_000)
    let again = answers(&slot, .begin, .go, .end)
    #expect(again == [true, true, false])
    #expect(slot.waitedNanoseconds == 6_000_000_000)
  }

  @Test("a handler that returns while a task of it waits has given its slot back already")
  func end_whileWaiting_givesNothingBack() {
    var slot = AdmissionSlot()
    let begun = answers(&slot, .begin)
    #expect(begun == [true] && slot.isWaiting)
    // What the task does afterwards is nobody's slot.
    let after = answers(&slot, .end, .go, .begin, .go)
    #expect(after == [true, false, false, false] && !slot.isWaiting)
  }
}
