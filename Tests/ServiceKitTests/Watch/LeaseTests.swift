import RPCKit
import Testing

@testable import ServiceKit

@Suite("How long news is believed")
struct LeaseTests {
  private func at(_ seconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
  }

  @Test("A lease begins with the first sign of life, and ends after its duration without another")
  func lease_signsOfLife_extendIt() {
    var lease = Lease(.seconds(10))
    #expect(!lease.isLive(at: MonotonicInstant(nanoseconds: .min)))
    #expect(!lease.isLive(at: at(0)))
    lease.extend(at: at(1))
    #expect(lease.isLive(at: at(1)) && lease.isLive(at: at(10)))
    #expect(!lease.isLive(at: at(11)))
    lease.extend(at: at(12))
    #expect(lease.end == at(22))
    // Two threads may tell of their signs of life in the wrong order.
    lease.extend(at: at(5))
    #expect(lease.end == at(22))
    lease.cancel()
    #expect(!lease.isLive(at: at(12)))
    lease.extend(at: at(5))
    #expect(lease.end == at(15))
  }

  @Test("A lease near the end of time does not overflow")
  func lease_farFuture_saturates() {
    var lease = Lease(.seconds(10))
    lease.extend(at: .distantFuture)
    #expect(lease.end == .distantFuture)
  }
}
