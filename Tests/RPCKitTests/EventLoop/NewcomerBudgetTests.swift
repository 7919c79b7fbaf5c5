import TestingContracts
import Foundation
import Testing

@testable import RPCKit

@Suite("How many newcomers a loop deals with in a turn", .timeLimit(.minutes(1)))
struct NewcomerBudgetTests {
  /// How many newcomers of 1,000 a turn takes of so many milliseconds, all of which go to output.
  private func take(_ budget: inout NewcomerBudget, _ milliseconds: Int64) -> Int {
    let count = (0..<1000).count { _ in budget.takes() }
    let nanoseconds = milliseconds * 1_000_000
    budget.turnTook(nanoseconds: nanoseconds, outputNanoseconds: nanoseconds)
    return count
  }

  @Test("more while they are short, fewer while they are long, and never none")
  func count_followsTheTurns() {
    var budget = NewcomerBudget()
    #expect([1, 1, 1, 1, 1, 1].map { take(&budget, $0) } == [16, 32, 64, 128, 256, 256])
    #expect([9, 9, 9].map { take(&budget, $0) } == [256, 128, 64])
    // Neither long nor short.
    #expect([5, 8].map { take(&budget, $0) } == [32, 32])
    #expect((0..<8).map { _ in take(&budget, 100) } == [32, 16, 8, 4, 2, 1, 1, 1])
  }

  @Test("Long turns of known clients keep nobody out, with newcomers or without")
  func count_inTurnsOfOthers_stays() {
    var budget = NewcomerBudget()
    for _ in 0..<10 { budget.turnTook(nanoseconds: 1_000_000_000, outputNanoseconds: 0) }
    for _ in 0..<10 {
      let takes = budget.takes()
      #expect(takes)
      budget.took(nanoseconds: 1_000_000)
      budget.turnTook(nanoseconds: 50_000_000, outputNanoseconds: 10_000_000)
    }
    #expect(take(&budget, 1) == 16)
  }

  @Test("When newcomers have taken two milliseconds the others wait")
  func takes_whenTimeIsUp() {
    var budget = NewcomerBudget()
    func takes(after nanoseconds: Int64) -> Bool {
      budget.took(nanoseconds: nanoseconds)
      return budget.takes()
    }
    #expect(takes(after: 0) && takes(after: 1_999_999) && !budget.isSpent)
    #expect(!takes(after: 1) && budget.isSpent)
    budget.turnTook(nanoseconds: 3_000_000, outputNanoseconds: 0)
    #expect(takes(after: 0))
  }

  /// What became ready in which turn: its place in the order of registration.
  ///
  /// `@unchecked Sendable`: used on its loop only.
  private final class Turns: @unchecked Sendable {
    private(set) var byTurn: [[Int]] = []
    private var turn: MonotonicInstant?

    func note(_ number: Int, at now: MonotonicInstant) {
      if turn != now { byTurn.append([]) }
      turn = now
      byTurn[byTurn.count - 1].append(number)
    }
  }

  @Test(
    "Known clients are served in the turn in which they are ready, and newcomers in turns",
    arguments: [true, false]
  )
  func knownClient_behindNewcomers_isServedFirst(becomesKnown: Bool) async throws {
    let loop = try EpollEventLoop(name: "test")
    defer { loop.stop() }
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: [1])
    let (turns, isOver) = (Turns(), OneTimeEvent<Void>())
    let newcomerCount = 600
    loop.execute {
      var ready: [ReadyOnce] = []
      for number in 0...newcomerCount {
        let isLast = number == newcomerCount
        let once = ReadyOnce(pipe.fileHandleForReading, on: loop) {
          turns.note(number, at: loop.now)
          if turns.byTurn.joined().count == newcomerCount + 1 { isOver.happened() }
        }
        ready.append(once)
        once.register(isNewcomer: !isLast || becomesKnown)
        if isLast, becomesKnown { once.noteKnown() }
      }
    }
    try await isOver.value()
    let byTurn = turns.byTurn
    // The one that is known came last, behind more than are fetched at once.
    #expect(byTurn[0] == Array(0..<16) + [newcomerCount])
    #expect(byTurn.allSatisfy { $0.count <= NewcomerBudget.countMax + 1 })
    #expect(Set(byTurn.joined()) == Set(0...newcomerCount))
  }

  @Test(
    "A client is known when a call was answered that needs credentials",
    arguments: [false, true]
  )
  func connection_isKnownByItsCalls(isSecured: Bool) async throws {
    let certificates = try TestCertificates.shared.get()
    let server = try TLSContextSource(certificates.serverConfiguration())
    let client = try TLSContextSource(certificates.clientConfiguration())
    try await EndToEnd.run(
      server: { configuration in
        guard isSecured else { return }
        configuration.endpoints = configuration.endpoints.map { .init($0.address, tls: server) }
      },
      channel: { configuration in
        guard isSecured else { return }
        configuration.wrapTransport = { transport, host in
          try TLSTransport(over: transport, context: client.current, expectedHost: host)
        }
      },
      scheme: isSecured ? "tls" : nil
    ) { test in
      func isNewcomer() async throws -> Bool {
        let connection = try #require(test.server.core.connections.first as? ServerConnection)
        return await withCheckedContinuation { continuation in
          connection.loop.execute { continuation.resume(returning: connection.isNewcomer) }
        }
      }
      _ = try await test.rich.echo(Rich(number: 1))
      #expect(try await isNewcomer())
      for try await _ in test.rich.expand(Rich(number: 1)) {}
      #expect(try await !isNewcomer())
    }
  }

  @Test("A long answer, which is encoded elsewhere, makes its client known as well")
  func connection_isKnownByLongAnswers() async throws {
    let handler = RichHandler(onCollect: { _, _ in
      var long = Rich()
      long.bytesValue = [UInt8](repeating: 1, count: 64 << 10)
      return long
    })
    try await EndToEnd.run(handler) { test in
      _ = try await test.rich.collect { _ in }
      let connection = try #require(test.server.core.connections.first as? ServerConnection)
      let isNewcomer = await withCheckedContinuation { continuation in
        connection.loop.execute { continuation.resume(returning: connection.isNewcomer) }
      }
      #expect(!isNewcomer)
    }
  }
}

/// A descriptor that can be read at once, and is watched until it was told so.
///
/// `@unchecked Sendable`: used on its loop only.
private final class ReadyOnce: ReadinessHandler, @unchecked Sendable {
  private let loop: EpollEventLoop
  private let descriptor: FileDescriptor
  private var name: UInt64?
  private let body: () -> Void

  /// Watches a duplicate, because the handle closes its own.
  init(_ handle: FileHandle, on loop: EpollEventLoop, _ body: @escaping () -> Void) {
    self.loop = loop
    self.body = body
    descriptor = FileDescriptor(owning: dup(handle.fileDescriptor))
  }

  func register(isNewcomer: Bool) {
    do {
      name = try loop.register(descriptor, .readable, isNewcomer: isNewcomer, handler: self)
    } catch {
      Issue.record(error)
    }
  }

  func noteKnown() {
    guard let name else { return }
    loop.noteKnown(name)
  }

  func becameReady(_ readiness: DescriptorReadiness) {
    guard let name else { return }
    loop.unregister(descriptor, name: name)
    body()
  }
}
