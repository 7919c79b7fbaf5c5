internal import RPCKit
internal import ServiceKit

/// Asks AuthService for the names of people who are shown and have none yet.
///
/// Woken by the commit that notes a person; after an upgrade, and after changes that were missed, it asks for
/// everyone. An answer never takes the place of a newer name: see `WriteTransaction.take`.
final class NameFiller: Sendable {
  /// People in one question: as many as it may name.
  private static let askedCountMax = 1000
  /// People whose names one transaction takes over, so that other writes hardly wait.
  private static let takenCountMax = 100
  /// How often it looks without being woken.
  private static let pollInterval = Duration.seconds(60)
  private static let backOff = BackOff(initial: .milliseconds(500), maximum: .seconds(60))

  private let core: TenancyCore

  init(_ core: TenancyCore) { self.core = core }

  /// Asks until the task is cancelled.
  func run(on loop: any EventLoop) async {
    var failureCount = 0
    while !Task.isCancelled {
      // Before the store, so that nobody in between is missed.
      let version = core.newcomers.version
      do {
        try await drain()
        failureCount = 0
        await wait(past: version, on: loop)
      } catch is CancellationError {
        return
      } catch {
        failureCount += 1
        if failureCount == 1 {
          core.logger.warning(
            "names of people cannot be asked for; retrying",
            ["error": "\(error)"]
          )
        }
        await loop.sleep(Self.backOff.pause(attempt: failureCount, random: core.random.number()))
      }
    }
  }

  private func wait(past version: UInt64, on loop: any EventLoop) async {
    await withTaskGroup(of: Void.self) { [core] group in
      group.addTask { await core.newcomers.wait(past: version) }
      group.addTask { await loop.sleep(Self.pollInterval) }
      await group.next()
      group.cancelAll()
    }
  }

  /// Asks for the names of everyone who was never asked for; throws when AuthService cannot be asked.
  func drain() async throws {
    while true {
      let people = try await core.database.read { tx in
        try PersonTable.unasked(limit: Self.askedCountMax, in: tx)
      }
      guard !people.isEmpty else { return }
      let beginning = core.newcomers.beginningCount
      let names = try await core.users.displayNames(of: people)
      var rest = people[...]
      while !rest.isEmpty {
        let part = Array(rest.prefix(Self.takenCountMax))
        rest = rest.dropFirst(part.count)
        try await take(part, names, of: beginning)
      }
    }
  }

  private func take(
    _ people: [String],
    _ names: [String: PersonName],
    of beginning: Int
  ) async throws {
    var rest = people
    while !rest.isEmpty {
      let part = rest
      rest = try await core.changeOwn { [newcomers = core.newcomers] tx in
        guard newcomers.beginningCount == beginning else { return [] }
        return try part.filter { try !PersonTable.take(names[$0], of: $0, isAnswer: true, in: tx) }
      }
    }
  }
}
