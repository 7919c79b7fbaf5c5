import Glibc
import Synchronization
import Testing

@testable import RPCKit

/// What a loop waits with where the kernel cannot wait for nanoseconds.
@Suite("Epoll")
struct EpollTests {
  /// How often the missing system call was tried.
  private static let attemptCount = Atomic<Int>(0)

  private static func missing() throws -> Epoll {
    try unsafe Epoll.make { _, _, _, _, _ in
      EpollTests.attemptCount.wrappingAdd(1, ordering: .relaxed)
      errno = ENOSYS
      return -1
    }
  }

  @Test("without epoll_pwait2 a wait takes its time all the same, and tries that call once only")
  func wait_preciseWaitMissing_waitsForMilliseconds() throws {
    let before = Self.attemptCount.load(ordering: .relaxed)
    let epoll = try Self.missing()
    for nanoseconds: Int64 in [1, 999_999, 1_000_000, 1_000_001, 2_500_000] {
      let start = Syscall.monotonicNanoseconds()
      epoll.wait(nanoseconds: nanoseconds) { _, _ in Issue.record("nothing happened") }
      #expect(Syscall.monotonicNanoseconds() - start >= nanoseconds)
    }
    #expect(Self.attemptCount.load(ordering: .relaxed) == before + 1)
    // What is ready ends every kind of wait, the longest as well.
    epoll.wake()
    for nanoseconds in [nil, 0, 1_000_000_000, Int64.max] {
      var names: [UInt64] = []
      epoll.wait(nanoseconds: nanoseconds) { name, readiness in
        names.append(name)
        #expect(readiness == .readable)
      }
      #expect(names == [Epoll.wakeName])
    }
    #expect(Self.attemptCount.load(ordering: .relaxed) == before + 1)
  }
}
