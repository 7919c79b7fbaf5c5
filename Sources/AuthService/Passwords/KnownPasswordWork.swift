internal import RPCKit
internal import ServiceKit

/// Knows which work the passwords of the store take.
///
/// What an import brings, or a setting, is noted before the first password of it can be checked. What is no longer
/// there is found out after a start, by looking at all passwords; not if there is nothing but the work of today.
final class KnownPasswordWork: Sendable {
  /// Passwords that are read at a time, and how long others go first then.
  private static let pageSize = 1000
  private static let pause = Duration.milliseconds(5)

  private struct State {
    var work: PasswordWork
    /// All of which `work` is made, and what there was no room for.
    var steps: Set<PasswordWork.Step>
    /// The steps that this process has stored passwords of, which stay whatever a count finds.
    var written: Set<PasswordWork.Step>
    var isCounted: Bool
  }

  private let store: ServiceStore
  private let sealing: SealingKey
  private let today: PasswordCost
  private let logger: Logger
  private let state: Lock<State>

  /// Reads what the store knows, and notes what hashes are made of from now on.
  static func open(
    _ store: ServiceStore,
    today: PasswordCost,
    sealing: SealingKey,
    logger: Logger
  ) async throws -> KnownPasswordWork {
    var (steps, isCounted) = try await store.database.read { tx in
      try PasswordWorkTable.all(in: tx)
    }
    if steps.insert(.own(today)).inserted {
      try await store.writeOwn { tx in try PasswordWorkTable.insert([.own(today)], in: tx) }
    }
    return KnownPasswordWork(store, today, sealing, logger, steps, isCounted: isCounted)
  }

  private init(
    _ store: ServiceStore,
    _ today: PasswordCost,
    _ sealing: SealingKey,
    _ logger: Logger,
    _ steps: Set<PasswordWork.Step>,
    isCounted: Bool
  ) {
    (self.store, self.today, self.sealing, self.logger) = (store, today, sealing, logger)
    let work = Self.work(of: steps, today: today)
    state = Lock(State(work: work, steps: steps, written: [.own(today)], isCounted: isCounted))
  }

  private static func work(of steps: Set<PasswordWork.Step>, today: PasswordCost) -> PasswordWork {
    var work = PasswordWork(today)
    for case .own(let cost) in steps { work.include(.own(cost)) }
    let forms = steps.compactMap { if case .foreign(let form) = $0 { form } else { nil } }
    for form in forms.sorted(by: { $0.text < $1.text }) { work.include(.foreign(form)) }
    return work
  }

  /// The work of a wrong password.
  var work: PasswordWork { state.withLock { $0.work } }

  /// Those of some steps that are not noted yet, for a write that stores passwords of them.
  func unknown(_ steps: Set<PasswordWork.Step>) -> Set<PasswordWork.Step> {
    state.withLock { state in
      state.written.formUnion(steps)
      return steps.subtracting(state.steps)
    }
  }

  /// Counts what a committed write has noted.
  func include(_ steps: Set<PasswordWork.Step>) {
    guard !steps.isEmpty else { return }
    state.withLock { state in
      state.steps.formUnion(steps)
      for step in steps { state.work.include(step) }
    }
  }

  /// Notes what a password takes that was found in the store, if that is new.
  func note(_ step: PasswordWork.Step?) async throws {
    guard let step else { return }
    let steps = unknown([step])
    guard !steps.isEmpty else { return }
    try await store.writeOwn { tx in try PasswordWorkTable.insert(steps, in: tx) }
    include(steps)
  }

  /// Looks at all passwords, if they might take less than is known, or were never looked at.
  func recount(on loop: any EventLoop) async {
    let (before, isCounted) = state.withLock { ($0.steps, $0.isCounted) }
    guard !isCounted || before != [.own(today)] else { return }
    do {
      let found = try await count(on: loop)
      let gone = state.withLock { before.subtracting(found).subtracting($0.written) }
      try await store.writeOwn { tx in
        try PasswordWorkTable.remove(gone, in: tx)
        try PasswordWorkTable.insert(found, in: tx)
        try PasswordWorkTable.noteCounted(in: tx)
      }
      let steps = state.withLock { state in
        state.steps = state.steps.subtracting(gone).union(found)
        state.work = Self.work(of: state.steps, today: today)
        state.isCounted = true
        return state.steps
      }
      let forms = steps.count { if case .foreign = $0 { true } else { false } }
      if forms > PasswordWork.formCountMax {
        logger.warning(
          "imported passwords have more forms of hashes than are hidden in the time of a wrong password",
          ["forms": .init(forms), "hidden": .init(PasswordWork.formCountMax)]
        )
      }
    } catch is CancellationError {
      // The service stops; the next start counts.
    } catch {
      logger.error("could not look at all passwords", ["error": "\(error)"])
    }
  }

  private func count(on loop: any EventLoop) async throws -> Set<PasswordWork.Step> {
    var (found, last): (Set<PasswordWork.Step>, String) = ([], "")
    while true {
      try Task.checkCancellation()
      let after = last
      let page = try await store.database.read { tx in
        try PasswordWorkTable.passwords(after: after, limit: Self.pageSize, in: tx)
      }
      for (userID, password) in page {
        if let step = StoredPassword(password, of: userID, sealing)?.step { found.insert(step) }
      }
      guard let end = page.last, page.count == Self.pageSize else { return found }
      last = end.userID
      await loop.sleep(Self.pause)
    }
  }
}
