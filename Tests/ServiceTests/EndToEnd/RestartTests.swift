import PeerContracts
import TenancyContracts
import Glibc
import RPCKit
import Testing

extension EndToEndTests {
  @Suite("Restarting a service under load")
  struct RestartTests {
    /// Calls without a pause that go on while a service is restarted.
    private final class Load: Sendable {
      private let state = Lock((answered: 0, failures: [String](), isOver: false))

      var answeredCount: Int { state.withLock { $0.answered } }
      var failures: [String] { state.withLock { $0.failures } }
      var isOver: Bool { state.withLock { $0.isOver } }

      func note(_ failure: Refusal?) {
        state.withLock { state in
          if let failure { state.failures.append("\(failure)") } else { state.answered += 1 }
        }
      }

      func end() { state.withLock { $0.isOver = true } }
    }

    /// Returns when more calls have been answered.
    private static func waitForAnswers(_ home: Installation, _ load: Load) async throws {
      let before = load.answeredCount
      try #require(await home.tenancy.eventually { load.answeredCount >= before + 50 })
    }

    @Test("Writes that wait for the service all succeed, once each, although it is restarted")
    func restart_underWritesThatWait_failsNone() async throws {
      try await Installation.run { home in
        let owner = try await home.signUp("ada")
        var options = owner.call
        options.waitsForReady = true
        let (call, load) = (options, Load())
        // What an application has: the channel's retries as they are by default.
        try await withChannel(home.tenancy.target, ChannelConfiguration(loops: home.loops)) {
          channel in
          try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<4 {
              group.addTask {
                let portfolios = Tenancy_V1.PortfoliosClient(channel)
                var number = 0
                while !load.isOver, !Task.isCancelled {
                  number += 1
                  let name = "\(caller)-\(number)"
                  load.note(
                    try await refusal {
                      try await portfolios.create(.init(name: name), options: call)
                    }
                  )
                }
              }
            }
            for _ in 0..<3 {
              try await Self.waitForAnswers(home, load)
              home.tenancy.send(SIGTERM)
              try #require(await home.tenancy.ending() == .exited(0))
              try await home.tenancy.start()
            }
            try await Self.waitForAnswers(home, load)
            load.end()
            try await group.waitForAll()
          }
        }
        #expect(load.failures.isEmpty, "\(load.failures.count): \(load.failures.prefix(3))")
        // None was answered and lost, and none was sent again that had been done.
        let list = try await home.portfolios.list(.init(pageSize: 1), options: owner.call)
        #expect(list.totalSize == UInt64(load.answeredCount))
      }
    }
  }
}
