import Testing

@testable import RPCKit

/// When a call's place in admission control is given back and taken again.
@Suite("Admission slots")
struct AdmissionSlotTests {
  private func instant(_ seconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
  }

  @Test("a slot is given back with the first wait and taken again with the end of the last")
  func waiting_nestedAndOverlapping_isOne() {
    var slot = AdmissionSlot()
    #expect(!slot.isWaiting)
    #expect(slot.beginWaiting(now: instant(1)))
    #expect(!slot.beginWaiting(now: instant(2)))
    #expect(!slot.endWaiting(now: instant(3)))
    #expect(slot.isWaiting)
    #expect(slot.endWaiting(now: instant(5)))
    #expect(!slot.isWaiting && slot.waitedNanoseconds == 4_000_000_000)
    #expect(slot.beginWaiting(now: instant(7)))
    #expect(slot.endWaiting(now: instant(8)))
    #expect(slot.waitedNanoseconds == 5_000_000_000)
    #expect(!slot.end())
  }

  @Test("a handler that returns while a task of it waits has given its slot back already")
  func end_whileWaiting_givesNothingBack() {
    var slot = AdmissionSlot()
    #expect(slot.beginWaiting(now: instant(1)))
    #expect(slot.end())
    // What the task does afterwards is nobody's slot.
    #expect(!slot.endWaiting(now: instant(2)))
    #expect(!slot.beginWaiting(now: instant(3)))
    #expect(!slot.endWaiting(now: instant(4)))
    #expect(!slot.isWaiting)
  }
}
