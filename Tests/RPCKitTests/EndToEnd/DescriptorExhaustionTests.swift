import TestingContracts
import Foundation
import Testing

@testable import RPCKit

/// A process without descriptors cannot keep a connection; it says so at once, and comes back when
/// there are some.
@Suite("A server out of descriptors", .timeLimit(.minutes(1)))
struct DescriptorExhaustionTests {
  /// In a process of its own, because nothing else could open a file meanwhile.
  @Test("refuses newcomers, serves those it has, and accepts again when descriptors return")
  func accept_withoutDescriptors_recovers() async {
    await #expect(processExitsWith: .success) {
      try await EndToEnd.run { test in
        let first = try await test.rich.echo(Rich(number: 1))
        #expect(first.int32Value == 1, "the answer before descriptors ran out")
        // All but one, which the client's end of the second connection takes.
        var hoard = DescriptorHoard()
        hoard.takeAll()
        hoard.giveBack(1)
        var configuration = ChannelConfiguration(loops: test.clientLoops)
        configuration.connectionsPerAddress = 1
        configuration.retry = .never
        try await withChannel(test.address.target, configuration) { channel in
          let client = Testing_V1.RichClient(channel)
          let refused = await rpcError {
            _ = try await client.echo(Rich(), timeout: .seconds(20))
          }
          // The comments reach the parent process; the values of an expectation do not.
          #expect(refused?.code == .unavailable, "refused with \(String(describing: refused))")
          let kept = test.server.connectionCount
          #expect(kept == 1, "\(kept) connections while there are no descriptors")
          let metrics = test.server.core.observer.metrics
          #expect(metrics.limitReached("descriptors").value > 0, "the limit was not counted")
          let refusals = metrics.serverConnections.refused("descriptors").value
          #expect(refusals > 0, "the refusal was not counted")
          for number: Int32 in 0..<20 {
            let response = try await test.rich.echo(Rich(number: number))
            #expect(response.int32Value == number, "the answer to call \(number)")
          }
          hoard.releaseAll()
          let options = CallOptions(timeout: .seconds(20), waitsForReady: true)
          let response = try await client.echo(Rich(number: 2), options: options)
          #expect(response.int32Value == 2, "the answer after descriptors returned")
          let all = test.server.connectionCount
          #expect(all == 2, "\(all) connections after descriptors returned")
        }
      }
    }
  }
}

/// Descriptors that are held so that nobody else gets them.
private struct DescriptorHoard: ~Copyable {
  private var numbers: [Int32] = []

  init() {}

  mutating func takeAll() {
    while true {
      let number = dup(STDERR_FILENO)
      guard number >= 0 else { return }
      numbers.append(number)
    }
  }

  mutating func giveBack(_ count: Int) {
    for number in numbers.suffix(count) { close(number) }
    numbers.removeLast(min(count, numbers.count))
  }

  mutating func releaseAll() { giveBack(numbers.count) }
}
