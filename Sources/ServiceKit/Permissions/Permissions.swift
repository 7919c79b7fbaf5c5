internal import Contracts
public import RPCKit

/// Asks TenancyService who may do what, and remembers the answers for up to five minutes.
///
/// An answer is never believed longer than 300 s, past the next edge of a time window that it
/// depends on, after a change of its subject or of anything above its entity was pushed, or while
/// the push stream has been silent for 10 s (SPEC section 5). Several callers who miss the same
/// answer make one call. Errors are not remembered. Without evidence nothing is allowed: when
/// TenancyService cannot be asked, the caller gets UNAVAILABLE.
///
/// `run` must be running, or every question is a call.
public final class Permissions: Sendable {
  /// How long answers are believed.
  public struct Configuration: Sendable {
    /// Longest life of an answer.
    public var lifetime = Duration.seconds(300)
    /// Silence of the push stream after which answers are no longer believed.
    public var lease = Duration.seconds(10)
    /// Longest wait for TenancyService.
    public var timeout = Duration.seconds(2)
    /// Answers kept, at most; about 400 bytes each.
    public var entryCountMax = 200_000

    /// Makes the default configuration.
    public init() {}
  }

  private struct Flight {
    let ticket: PermissionCache.Ticket
    let task: Task<PermissionDecision, any Error>
  }

  private struct State {
    var cache: PermissionCache
    var flights: [PermissionCache.Key: Flight] = [:]
  }

  private let client: Tenancy_V1.PermissionsClient
  private let configuration: Configuration
  private let clock: any WallClock
  private let loop: any EventLoop
  private let logger: Logger
  private let metrics: PermissionMetrics
  private let state: Lock<State>

  /// Makes a cache in front of the service behind `channel`, whose calls must prove this service.
  public init(
    _ channel: Channel,
    configuration: Configuration = Configuration(),
    clock: any WallClock,
    loop: any EventLoop,
    logger: Logger,
    metrics: PermissionMetrics
  ) {
    client = Tenancy_V1.PermissionsClient(channel)
    self.configuration = configuration
    self.clock = clock
    self.loop = loop
    self.logger = logger
    self.metrics = metrics
    state = Lock(State(cache: PermissionCache(entryCountMax: configuration.entryCountMax)))
  }

  /// Whether `subject` may do `action` to `entity`.
  ///
  /// Throws UNAVAILABLE when TenancyService cannot be asked. Cancelling the
  /// caller does not end a call that others wait for too.
  public func check(
    _ subject: String,
    _ action: String,
    _ entity: String
  ) async throws -> PermissionDecision {
    if let known = known(subject, action, entity) { return known }
    return try await asked(subject, action, entity)
  }

  /// Apart from `check`, so that what a call needs takes no memory of those who need none.
  private func asked(
    _ subject: String,
    _ action: String,
    _ entity: String
  ) async throws -> PermissionDecision {
    try await join(.init(subject: subject, action: action, entity: entity)).value
  }

  /// What is known without asking anybody; nil when `check` would make a call.
  ///
  /// For callers who would rather not wait, and for those who ask so often that an `await` counts.
  public func known(_ subject: String, _ action: String, _ entity: String) -> PermissionDecision? {
    let now = loop.now
    let name = PermissionTable.name(subject, action, entity)
    let answer = state.withLock { $0.cache.answer(name, at: now) }
    guard case .known(let decision) = answer else { return nil }
    metrics.hits.increment()
    return decision
  }

  /// What TenancyService says now, for a write: never an answer that was kept.
  ///
  /// When it contradicts one that was kept, all that is known of `subject` is forgotten: a change of its
  /// rights was not heard of.
  /// Look at `PermissionConfirmation.isCurrent` inside the transaction, and ask again when it says no.
  /// Throws as `check` does.
  public func confirm(
    _ subject: String,
    _ action: String,
    _ entity: String
  ) async throws -> PermissionConfirmation {
    let key = PermissionCache.Key(subject: subject, action: action, entity: entity)
    let ticket = state.withLock { $0.cache.ticket }
    let began = loop.preciseNow
    let response = try await ask(key)
    let (ancestors, decision) = ([entity] + response.ancestorIds, PermissionDecision(response))
    let isContradicted = state.withLock { state in
      guard case .known(let kept) = state.cache.answer(key, at: loop.now),
        kept.isAllowed != decision.isAllowed
      else { return false }
      state.cache.forget(subject: subject)
      return true
    }
    if isContradicted { metrics.contradictions.increment() }
    return PermissionConfirmation(decision: decision) { [self] in
      let now = loop.preciseNow
      return state.withLock { state in
        // Nobody says that it has changed while nobody is heard.
        let isHeard =
          state.cache.isLeased(at: now) || now < began.advanced(by: configuration.lease)
        return isHeard
          && state.cache.isCurrent(ticket, subject: subject, ancestors: ancestors)
      }
    }
  }

  /// Forgets what is known of `subject`, who has signed out somewhere or was signed out.
  public func forget(subject: String) {
    state.withLock { $0.cache.forget(subject: subject) }
  }

  /// Forgets everything; for somebody who reloads the service because they doubt what it knows.
  public func forgetEverything() {
    metrics.flushes.increment()
    state.withLock { $0.cache.forgetEverything() }
  }

  /// The call that will answer, one for all who wait for it.
  private func join(_ key: PermissionCache.Key) -> Task<PermissionDecision, any Error> {
    let now = loop.now
    return state.withLock { state in
      // Somebody's answer may have come since we looked.
      switch state.cache.answer(key, at: now) {
      case .known(let decision):
        metrics.hits.increment()
        return Task { decision }
      case .unknown: metrics.misses.increment()
      case .doubtful: metrics.doubtful.increment()
      }
      if let flight = state.flights[key],
        state.cache.isCurrent(flight.ticket, subject: key.subject)
      {
        return flight.task
      }
      let ticket = state.cache.ticket
      let task = Task { try await self.fetch(key, ticket) }
      state.flights[key] = Flight(ticket: ticket, task: task)
      return task
    }
  }

  private func fetch(
    _ key: PermissionCache.Key,
    _ ticket: PermissionCache.Ticket
  ) async throws -> PermissionDecision {
    // What is left of the window is measured from before the call, so that it is never too long.
    let began = loop.now
    let beganAt = clock.now
    defer {
      state.withLock { state in
        if state.flights[key]?.ticket == ticket { state.flights[key] = nil }
      }
    }
    let response = try await ask(key)
    let decision = PermissionDecision(response)
    var lifetime = configuration.lifetime
    if let edge = response.validUntil {
      lifetime = min(lifetime, .milliseconds(max(0, edge.milliseconds - beganAt)))
    }
    state.withLock { state in
      state.cache.store(
        decision,
        ancestors: [key.entity] + response.ancestorIds,
        for: key,
        ticket,
        expires: began.advanced(by: lifetime)
      )
    }
    return decision
  }

  private func ask(_ key: PermissionCache.Key) async throws -> Tenancy_V1.Decision {
    do {
      return try await client.check(
        .init(subjectId: key.subject, action: key.action, entityId: key.entity, forCache: true),
        timeout: configuration.timeout
      )
    } catch let error as RPCError where error.code == .deadlineExceeded {
      // The limit is ours and not the caller's, who may well try again.
      throw RPCError(
        .unavailable,
        reason: "TENANCY_UNAVAILABLE",
        domain: "gatehouse.tenancy",
        message: "the permission service is unavailable; retry in a moment",
        retryAfter: .seconds(1),
        cause: error
      )
    }
  }

  // MARK: - Push

  /// Listens for changes until cancelled, reconnecting with growing pauses.
  public func run() async {
    var revision = ""
    var pause = Duration.milliseconds(100)
    while !Task.isCancelled {
      var isFirst = true
      do {
        for try await change in client.watchChanges(.init(afterRevision: revision)) {
          if isFirst { begin(isResumed: !revision.isEmpty) }
          isFirst = false
          apply(change)
          revision = change.revision
          pause = .milliseconds(100)
        }
      } catch let error as RPCError where error.isProofEnded && !isFirst {
        // As every minute or two: the next stream has a new proof and goes on where this one ended.
        continue
      } catch {
        logger.debug("permission changes cannot be heard", ["error": "\(error)"])
      }
      guard !Task.isCancelled else { return }
      await loop.sleep(pause)
      pause = min(pause * 2, .seconds(5))
    }
  }

  /// A stream has begun: what was remembered before counts only if the stream goes on where the last
  /// one ended, and if that was believed until now.
  ///
  /// Otherwise the first sign of life would make answers count again that changed while nobody
  /// listened.
  private func begin(isResumed: Bool) {
    let isForgotten = state.withLock { state in
      guard !isResumed || !state.cache.isLeased(at: loop.now) else { return false }
      state.cache.forgetEverything()
      return true
    }
    if isForgotten { metrics.flushes.increment() }
  }

  private func apply(_ change: Tenancy_V1.Change) {
    state.withLock { state in
      switch change.kind {
      case .heartbeat: break
      case .subject: state.cache.forget(subject: change.subjectId)
      case .subtree: state.cache.forget(subtree: change.entityId)
      default:
        metrics.flushes.increment()
        state.cache.forgetEverything()
      }
      state.cache.extendLease(to: loop.now.advanced(by: configuration.lease))
    }
  }
}

extension PermissionDecision {
  fileprivate init(_ decision: Tenancy_V1.Decision) {
    self.init(
      isAllowed: decision.allowed && decision.reason == .allowed,
      reason: decision.reason.name.map { String("\($0)".dropFirst("REASON_".count)) } ?? "UNKNOWN",
      sufficientRoles: decision.sufficientRoles
    )
  }
}
