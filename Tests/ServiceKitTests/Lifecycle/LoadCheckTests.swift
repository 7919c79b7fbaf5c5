import RPCKit
import Testing

@testable import ServiceKit

/// What `/readyz` says of refused calls.
@Suite("Refused calls in readiness")
struct LoadCheckTests {
  @Test("a service that refuses calls is ready, and says so")
  func recentSheds_areDetails() {
    #expect(Readiness.Check(load: [:]) == Readiness.Check("load", isReady: true))
    let check = Readiness.Check(load: [.streamingCalls: 2, .overloaded: 40])
    #expect(check.isReady)
    #expect(
      check.detail == "refused 42 calls in the last 10 s: overloaded 40, streaming_calls 2"
    )
  }
}
