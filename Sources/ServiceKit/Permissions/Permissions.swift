internal import PeerContracts
public import RPCKit

/// Asks TenancyService who may do what, and remembers the answers for up to five minutes.
///
/// An answer is never used longer than 300 s, past the next edge of a time window that it
/// depends on, after a change of its subject or of anything above its entity was pushed, or while
/// the push stream has been silent for 10 s (docs/decisions/0023). Several callers who miss the same
/// answer make one call. Errors are not remembered. Without evidence nothing is allowed: when
/// TenancyService cannot be asked, or too much is being asked already, the caller gets UNAVAILABLE.
///
/// `run` must be running, or every question is a call.
public final class Permissions: Sendable {
  /// How long answers are used.
  public struct Configuration: Sendable {
    /// Longest life of an answer.
    public var lifetime = Duration.seconds(300)
    /// Silence of the push stream after which answers are no longer used.
    public var lease = Duration.seconds(10)
    /// Longest wait for TenancyService.
    public var timeout = Duration.seconds(2)
    /// Answers kept, at most; about 400 bytes each.
    public var entryCountMax = 200_000
    /// Different questions that may be in flight at a time.
    public var flightCountMax = 10_000

    /// Makes the default configuration.
    public init() {}
  }

  private let client: Tenancy_V1.PermissionsClient
  private let configuration: Configuration
  private let clock: any WallClock
  private let loop: any EventLoop
  private let metrics: PermissionMetrics
  private let follower: WatchFollower
  private let confirmations: PermissionQuestions
  /// The newest change that was heard of: no question is answered by a state of before it, whichever replica of
  /// TenancyService answers.
  private let heard = Lock("")
  private let cache: LeasedCache<PermissionCache, Fetched>

  /// Makes a cache in front of the service behind `channel`, whose calls must prove this service.
  ///
  /// `random` spreads attempts to reach it over time.
  public init(
    _ channel: Channel,
    configuration: Configuration = Configuration(),
    clock: any WallClock,
    loop: any EventLoop,
    random: any RandomSource = SystemRandomSource(),
    logger: Logger,
    metrics: PermissionMetrics
  ) {
    let (client, timeout) = (Tenancy_V1.PermissionsClient(channel), configuration.timeout)
    self.client = client
    confirmations = PermissionQuestions(waitingCountMax: configuration.flightCountMax) {
      questions in
      guard questions.count > 1 else {
        return [try await client.check(questions[0], timeout: timeout)]
      }
      return try await client.batchCheck(.init(checks: questions), timeout: timeout).decisions
    }
    self.configuration = configuration
    self.clock = clock
    self.loop = loop
    self.metrics = metrics
    follower = WatchFollower(
      "permissions",
      lease: configuration.lease,
      loop: loop,
      random: random,
      logger: logger
    )
    follower.report(to: metrics.registry)
    cache = LeasedCache(
      PermissionCache(entryCountMax: configuration.entryCountMax, lease: configuration.lease),
      flightCountMax: configuration.flightCountMax,
      clock: clock,
      loop: loop,
      metrics: metrics.cache
    )
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
    let key = PermissionCache.Key(subject: subject, action: action, entity: entity)
    let lifetime = configuration.lifetime
    let found = cache.find(key) { [metrics = metrics.cache, now = loop.now] answers in
      // Somebody's answer may have come since we looked.
      switch answers.answer(key, at: now) {
      case .known(let decision): return decision
      case .unknown: metrics.misses.increment()
      case .doubtful: metrics.doubtful.increment()
      }
      return nil
    } ask: { [self] beginning in
      let response = try await ask(key)
      let end = beginning.end(of: lifetime, until: response.validUntil?.milliseconds)
      return Fetched(
        decision: PermissionDecision(response),
        ancestors: [key.entity] + response.ancestorIds,
        expires: end
      )
    } keep: { answers, fetched, ticket, _ in
      // Whether it counts is for the answers to say: what overtook the call may have been a change of
      // another subtree.
      answers.store(
        fetched.decision,
        ancestors: fetched.ancestors,
        for: key,
        ticket,
        expires: fetched.expires
      )
    }
    switch found {
    case .known(let decision):
      metrics.cache.hits.increment()
      return decision
    case .flight(let flight): return try await flight.value.decision
    case .refused: throw Self.unavailable("too many permission lookups in progress")
    }
  }

  /// The result of a call.
  private struct Fetched: Sendable {
    let decision: PermissionDecision
    /// The entity and those above it.
    let ancestors: [String]
    let expires: MonotonicInstant
  }

  /// The answer that is known without asking anybody; nil when `check` would make a call.
  ///
  /// For callers who would rather not wait, and for those who ask so often that an `await` counts.
  public func known(_ subject: String, _ action: String, _ entity: String) -> PermissionDecision? {
    let now = loop.now
    let name = PermissionTable.name(subject, action, entity)
    let answer = cache.withAnswers { $0.answer(name, at: now) }
    guard case .known(let decision) = answer else { return nil }
    metrics.cache.hits.increment()
    return decision
  }

  /// TenancyService's answer now, for a write: never an answer that was kept.
  ///
  /// Asked together with what others want to have confirmed at the same time (see `PermissionQuestions`).
  /// When it contradicts one that was kept, all that is known of `subject` is forgotten: a change of its
  /// rights was not heard of.
  /// If only a step-up is missing that `user` may have done, who must be the subject, it is asked again
  /// with their token.
  ///
  /// Look at `PermissionConfirmation.isCurrent` inside the transaction, and ask again when it says no.
  /// Throws as `check` does.
  public func confirm(
    _ subject: String,
    _ action: String,
    _ entity: String,
    for user: UserIdentity? = nil
  ) async throws -> PermissionConfirmation {
    let key = PermissionCache.Key(subject: subject, action: action, entity: entity)
    let ticket = cache.withAnswers { $0.ticket }
    let began = loop.preciseNow
    let response = try await confirmed(key)
    let ancestors = [entity] + response.ancestorIds
    let plain = PermissionDecision(response)
    let kept = cache.withAnswers { $0.answer(key, at: loop.now) }
    if case .known(let kept) = kept, kept.isAllowed != plain.isAllowed {
      forget(subject: subject)
      metrics.contradictions.increment()
    }
    let decision = try await proven(plain, key, by: user)
    return PermissionConfirmation(decision: decision) { [self] in
      let now = loop.preciseNow
      return cache.withAnswers { answers in
        // Nobody says that it has changed while nobody is heard.
        let isHeard = answers.isLeased(at: now) || now < began.advanced(by: configuration.lease)
        return isHeard && answers.isCurrent(ticket, subject: subject, ancestors: ancestors)
      }
    }
  }

  /// Questions of `confirm` that wait for a call to be part of.
  package var waitingConfirmationCount: Int { confirmations.waitingCount }

  /// Forgets what is known of `subject`, who has signed out somewhere or was signed out.
  public func forget(subject: String) {
    cache.forget {
      $0.forget(subject: subject)
    } dropping: {
      $0.subject == subject
    }
  }

  /// Whether a subject has a role now on an entity that subscriptions belong to, or on something below it: what is
  /// sold to the entity counts for it then, whatever else it may know of that.
  ///
  /// Asked each time. Throws as `check` does.
  public func hasFeatures(_ subject: String, of entity: String) async throws -> Bool {
    let request = Tenancy_V1.FetchPermissionsRequest(
      subjectId: subject,
      entityId: entity,
      includeFeatures: true,
      pageSize: 1,
      atLeastRevision: heard.withLock { $0 }
    )
    let answer = try await limited {
      try await client.fetch(request, timeout: configuration.timeout)
    }
    return answer.featuresEntityId == entity && !answer.entities.isEmpty
  }

  /// Forgets everything; for a user who reloads the service because they doubt what it knows.
  public func forgetAll() { cache.forgetAll() }

  /// The decision about a user who has done the step-up that a decision lacks; the same one for everybody
  /// else.
  ///
  /// TenancyService reads that in the user's own token and does not take a service's word for it. Never
  /// kept: it is the answer to one token.
  func proven(
    _ decision: PermissionDecision,
    _ key: PermissionCache.Key,
    by user: UserIdentity?
  ) async throws -> PermissionDecision {
    guard decision.reason == "STEP_UP_REQUIRED", let user, user.userID == key.subject,
      user.isElevated
    else { return decision }
    return PermissionDecision(try await ask(key, for: user))
  }

  /// TenancyService's answer to this service, or to a user whose token it shows.
  private func ask(
    _ key: PermissionCache.Key,
    for user: UserIdentity? = nil
  ) async throws -> Tenancy_V1.Decision {
    var question = self.question(key)
    question.forCache = user == nil
    let (asked, options) = (question, CallOptions(timeout: configuration.timeout))
    return try await limited {
      try await client.check(asked, options: user.map { options.acting(for: $0) } ?? options)
    }
  }

  private func confirmed(_ key: PermissionCache.Key) async throws -> Tenancy_V1.Decision {
    let answer = try await limited {
      try await confirmations.answer(to: question(key))
    }
    guard let answer else {
      metrics.cache.refused.increment()
      throw Self.unavailable("too many permission lookups in progress")
    }
    return answer
  }

  private func question(_ key: PermissionCache.Key) -> Tenancy_V1.CheckRequest {
    .init(
      subjectId: key.subject,
      action: key.action,
      entityId: key.entity,
      atLeastRevision: heard.withLock { $0 },
      forCache: true
    )
  }

  private func limited<Answer>(_ ask: () async throws -> Answer) async throws -> Answer {
    do {
      return try await ask()
    } catch let error as RPCError where error.code == .deadlineExceeded {
      // The limit is ours and not the caller's, who may well try again.
      throw Self.unavailable("the permission service is unavailable", cause: error)
    }
  }

  private static func unavailable(_ problem: String, cause: (any Error)? = nil) -> RPCError {
    ErrorCatalog(domain: "gatehouse.tenancy").unavailable(
      "TENANCY_UNAVAILABLE",
      "\(problem); retry in 1 s",
      cause: cause
    )
  }

  // MARK: - Push

  /// Listens for changes until cancelled, reconnecting with growing pauses.
  public func run() async {
    await follower.run(
      open: { [client] in client.watchChanges(.init(afterRevision: $0 ?? "")) },
      beginAnew: forgetAll,
      apply: { [self] change, now in
        apply(change, provenAt: now)
        return change.revision
      }
    )
  }

  private func apply(_ change: Tenancy_V1.Change, provenAt now: MonotonicInstant?) {
    // Before anything is forgotten: the questions after that ask for no older state.
    if change.kind != .heartbeat { heard.withLock { $0 = change.revision } }
    switch change.kind {
    case .heartbeat: break
    case .subject: forget(subject: change.subjectId)
    case .subtree:
      // What is above an entity is not known before the answer, so it could be any of them.
      cache.forget {
        $0.forget(subtree: change.entityId)
      } dropping: { _ in
        true
      }
    default: forgetAll()
    }
    if let now { cache.withAnswers { $0.extendLease(at: now) } }
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
