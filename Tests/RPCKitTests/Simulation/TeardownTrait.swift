import RPCKitTesting
import Testing

/// Ends what each test of a suite started when the test is over; see `Teardown`.
///
/// Every suite with a simulation, a manual loop or a transport in memory has it: what such a test leaves
/// holds itself, and the address sanitizer reports it as leaked.
struct TeardownTrait: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing body: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await Teardown.run(body)
  }
}

extension Trait where Self == TeardownTrait {
  static var teardown: Self { Self() }
}
