import Contracts
import Testing

@testable import RPCKit

@Suite("Errors that a handler passes on", .timeLimit(.minutes(1)))
struct RelayedErrorTests {
  @Test("A handler that passes on \"not processed\" of a call of its own is not run again for it")
  func notProcessed_ofAPeer_isNotPassedOn() async throws {
    let runs = Tally()
    let handler = RichHandler(onEcho: { _, _ in
      runs.add()
      // As a channel throws it when the peer of the handler refuses for overload.
      throw RPCError(.resourceExhausted, "the peer is overloaded", isNotProcessed: true)
    })
    try await EndToEnd.run(handler) { test in
      let error = await rpcError { _ = try await test.rich.echo(Rich()) }
      #expect(error?.code == .resourceExhausted)
      #expect(error?.isNotProcessed == false)
      #expect(runs.value == 1)
    }
  }
}
