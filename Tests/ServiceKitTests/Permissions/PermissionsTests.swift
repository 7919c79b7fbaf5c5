import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@Suite("Permissions behind a cache")
struct PermissionsTests {
  @Test("A hundred callers who miss the same answer make one call, and the next makes none")
  func check_concurrentMisses_makeOneCall() async throws {
    let stage = try await Stage()
    try await stage.serving { permissions, service in
      await service.hold()
      let decisions = try await withThrowingTaskGroup(of: PermissionDecision.self) { group in
        for _ in 0..<100 {
          group.addTask { try await permissions.check("usr_1", "device.unlock", "dev_1") }
        }
        await service.waitForCall()
        await service.release()
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(decisions.count == 100 && decisions.allSatisfy(\.isAllowed))
      _ = try await permissions.check("usr_1", "device.unlock", "dev_1")
      #expect(await service.callCount == 1)
      #expect(permissions.known("usr_1", "device.unlock", "dev_1")?.isAllowed == true)
      #expect(permissions.known("usr_2", "device.unlock", "dev_1") == nil)
      #expect(await service.callCount == 1)
      _ = try await permissions.check("usr_2", "device.unlock", "dev_1")
      #expect(await service.callCount == 2)
    }
  }

  @Test("A pushed change is asked for anew, and only by those it touches")
  func check_pushedChange_isAskedAnew() async throws {
    let stage = try await Stage()
    try await stage.serving { permissions, service in
      for user in ["usr_1", "usr_2"] { _ = try await permissions.check(user, "a", "dev_1") }
      await service.push(.init(revision: "2", kind: .subject, subjectId: "usr_1"))
      // The answer changes with the push; it is seen as soon as the push is.
      await service.deny()
      while try await permissions.check("usr_1", "a", "dev_1").isAllowed { await Task.yield() }
      #expect(try await permissions.check("usr_2", "a", "dev_1").isAllowed)
      await service.push(.init(revision: "3", kind: .subtree, entityId: "prt_1"))
      while try await permissions.check("usr_2", "a", "dev_1").isAllowed { await Task.yield() }
    }
  }

  @Test(
    "Questions name the newest change that was heard of, so that no answer is from before it",
    .timeLimit(.minutes(1))
  )
  func questions_nameTheNewestChange() async throws {
    let stage = try await Stage()
    try await stage.serving { permissions, service in
      _ = try await permissions.check("usr_1", "a", "dev_1")
      for (number, revision) in ["7", "9"].enumerated() {
        await service.push(.init(revision: revision, kind: .subject, subjectId: "usr_1"))
        // Says that a program lives, which may be another one that is behind.
        await service.push(.init(revision: "3", kind: .heartbeat))
        repeat {
          await Task.yield()
          _ = try await permissions.check("usr_1", "a", "dev_1")
        } while await service.lastRevision != revision
        _ = try await permissions.check("usr_2", "a\(number)", "dev_1")
        #expect(await service.lastRevision == revision)
        _ = try await permissions.confirm("usr_1", "b", "dev_1")
        #expect(await service.lastRevision == revision)
      }
    }
  }

  @Test("A failure is not remembered, and gives nobody a permission")
  func check_failure_isNotRemembered() async throws {
    let stage = try await Stage()
    try await stage.serving { permissions, service in
      await service.fail()
      let error = await #expect(throws: RPCError.self) {
        try await permissions.check("usr_1", "a", "dev_1")
      }
      #expect(error?.code == .internal)
      await service.recover()
      let decision = try await permissions.check("usr_1", "a", "dev_1")
      #expect(decision.isAllowed)
    }
  }

  /// A user with a token of some class.
  private static func user(_ id: String, _ acr: String, token: String) -> UserIdentity {
    UserIdentity(
      userID: id,
      sessionID: "ses_1",
      token: BearerToken(token),
      acr: acr,
      authenticated: 0,
      tokenExpires: .max
    )
  }

  @Test("A step-up that a user has done counts where a service asks for them, by their own token")
  func confirm_stepUp_isShownByTheToken() async throws {
    let stage = try await Stage()
    try await stage.serving { permissions, service in
      await service.deny(.stepUpRequired)
      await service.allow(token: "mfa token")
      let proven = Self.user("usr_1", "mfa", token: "mfa token")
      func isAllowed(for user: UserIdentity?) async throws -> Bool {
        try await permissions.confirm("usr_1", "a", "dev_1", for: user).decision.isAllowed
      }
      let isProven = try await isAllowed(for: proven)
      #expect(isProven)
      #expect(try await !isAllowed(for: nil))
      #expect(try await !isAllowed(for: Self.user("usr_1", "mfa", token: "other token")))
      // Somebody else's proof says nothing about the subject.
      #expect(try await !isAllowed(for: Self.user("usr_2", "mfa", token: "mfa token")))
      // A password proves nothing that was not asked for already, together with what others ask.
      await service.resetCount()
      #expect(try await !isAllowed(for: Self.user("usr_1", "pwd", token: "mfa token")))
      #expect(await service.callCount == 1)
      // Nothing of it is kept for those who ask without.
      #expect(try await !permissions.check("usr_1", "a", "dev_1").isAllowed)
      #expect(permissions.known("usr_1", "a", "dev_1")?.reason == "STEP_UP_REQUIRED")
    }
  }

  @Test("What a write goes by is asked for each time, and is outdated by a change that touches it")
  func confirm_pushedChange_isOutdated() async throws {
    let stage = try await Stage()
    try await stage.serving { permissions, service in
      _ = try await permissions.check("usr_1", "a", "dev_1")
      let before = await service.callCount
      let first = try await permissions.confirm("usr_1", "a", "dev_1")
      let other = try await permissions.confirm("usr_2", "a", "dev_1")
      #expect(await service.callCount == before + 2)
      #expect(first.decision.isAllowed && first.isCurrent && other.isCurrent)
      await service.push(.init(revision: "2", kind: .subject, subjectId: "usr_1"))
      while first.isCurrent { await Task.yield() }
      #expect(other.isCurrent)
      let again = try await permissions.confirm("usr_1", "a", "dev_1")
      // Changes come in their order, so the one that touches both comes behind the one that does not.
      await service.push(.init(revision: "3", kind: .subtree, entityId: "prt_2"))
      await service.push(.init(revision: "4", kind: .subject, subjectId: "usr_2"))
      while other.isCurrent { await Task.yield() }
      #expect(again.isCurrent)
      await service.push(.init(revision: "5", kind: .subtree, entityId: "prt_1"))
      while again.isCurrent { await Task.yield() }
      await service.deny()
      #expect(try await !permissions.confirm("usr_1", "a", "dev_1").decision.isAllowed)
    }
  }

  @Test("Answers that many writes go by at once come in few calls, each to who asked")
  func confirm_manyAtOnce_shareCalls() async throws {
    let stage = try await Stage()
    try await stage.serving { permissions, service in
      await service.hold()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<50 {
          group.addTask {
            let right = try await permissions.confirm("usr_\(number)", "a", "dev_1")
            #expect(right.decision.isAllowed == (number != 7) && right.isCurrent)
          }
        }
        while permissions.waitingConfirmationCount < 48 { await Task.yield() }
        await service.denyOnly("usr_7")
        await service.release()
        for try await _ in group {}
      }
      let batches = await service.batches
      #expect(batches == [48])
      #expect(await service.callCount == 2)
    }
  }

  @Test("When its credentials end, the push goes on with new ones, quietly, and answers stay known")
  func push_proofEnds_goesOn() async throws {
    let (stage, sink) = (try await Stage(), CollectingSink())
    try await stage.serving(sink: sink) { permissions, service in
      _ = try await permissions.check("usr_1", "a", "dev_1")
      for _ in 0..<3 {
        await service.endWatch(IdentityError.proofEnded)
        await service.waitForWatcher()
        #expect(permissions.known("usr_1", "a", "dev_1")?.isAllowed == true)
      }
      #expect(await service.callCount == 1)
      #expect(sink.lines == [])
      // What is pushed now is heard.
      await service.deny()
      await service.push(.init(revision: "2", kind: .subject, subjectId: "usr_1"))
      while try await permissions.check("usr_1", "a", "dev_1").isAllowed { await Task.yield() }
    }
  }

  @Test("An answer to a write that contradicts a kept one ends everything kept of its subject")
  func confirm_contradiction_forgetsTheSubject() async throws {
    let stage = try await Stage()
    try await stage.serving { permissions, service in
      for (user, action) in [("usr_1", "a"), ("usr_1", "b"), ("usr_2", "a")] {
        _ = try await permissions.check(user, action, "dev_1")
      }
      // Nobody pushes the change.
      await service.deny()
      #expect(permissions.known("usr_1", "a", "dev_1")?.isAllowed == true)
      #expect(try await !permissions.confirm("usr_1", "a", "dev_1").decision.isAllowed)
      #expect(permissions.known("usr_1", "a", "dev_1") == nil)
      #expect(try await !permissions.check("usr_1", "b", "dev_1").isAllowed)
      #expect(permissions.known("usr_2", "a", "dev_1")?.isAllowed == true)
      // The other way round, and what agrees forgets nothing.
      await service.deny(.allowed)
      let again = try await permissions.confirm("usr_1", "b", "dev_1")
      #expect(again.decision.isAllowed && !again.isCurrent)
      #expect(try await permissions.check("usr_1", "b", "dev_1").isAllowed)
      #expect(try await permissions.confirm("usr_1", "b", "dev_1").isCurrent)
      #expect(permissions.known("usr_1", "b", "dev_1")?.isAllowed == true)
    }
  }

  @Test("What is kept of a user ends when the user signs out, and all of it with a reload")
  func forget_subjectOrEverything_isAskedAnew() async throws {
    let stage = try await Stage()
    try await stage.serving { permissions, service in
      for user in ["usr_1", "usr_2"] { _ = try await permissions.check(user, "a", "dev_1") }
      permissions.forget(subject: "usr_1")
      #expect(permissions.known("usr_1", "a", "dev_1") == nil)
      #expect(permissions.known("usr_2", "a", "dev_1")?.isAllowed == true)
      permissions.forgetAll()
      #expect(permissions.known("usr_2", "a", "dev_1") == nil)
    }
  }

  @Test("A call that wants a refresh is answered anew for its own user; others use what is kept")
  func check_callWantsRefresh_isAskedAnew() async throws {
    let stage = try await Stage()
    try await stage.serving { permissions, service in
      let client = Tenancy_V1.PermissionsClient(try #require(await service.channel))
      await service.whenListing { call in
        _ = try await permissions.check("usr_1", "a", "dev_1", for: call)
      }
      for user in ["usr_1", "usr_2"] { _ = try await permissions.check(user, "a", "dev_1") }
      for (metadata, count) in [([:], 2), (["cache-control": "max-age=0"], 2)]
        as [(Metadata, Int)]
      {
        _ = try await client.listActions(
          .init(entityIds: ["dev_1"]),
          options: .init(metadata: metadata)
        )
        #expect(await service.callCount == count)
      }
      _ = try await client.listActions(
        .init(entityIds: ["dev_1"]),
        options: .init(metadata: ["cache-control": "no-cache"])
      )
      #expect(await service.callCount == 3)
      #expect(permissions.known("usr_1", "a", "dev_1")?.isAllowed == true)
      #expect(permissions.known("usr_2", "a", "dev_1")?.isAllowed == true)
    }
  }

  @Test(
    "A write that goes by a right is done again when that may have changed, three times at most"
  )
  func confirming_rightChanges_beginsAnew() async throws {
    let stage = try await Stage()
    try await stage.serving { permissions, service async throws in
      func write(changing count: Int) async throws -> Int {
        var tries = 0
        return try await permissions.confirming(
          Permission("a", on: "dev_1"),
          of: "usr_1",
          domain: "gatehouse.test"
        ) { right in
          tries += 1
          if tries <= count { permissions.forget(subject: "usr_1") }
          try right.requireCurrent()
          return tries
        }
      }
      #expect(try await write(changing: 0) == 1)
      #expect(try await write(changing: 2) == 3)
      let unsettled = await #expect(throws: RPCError.self) { try await write(changing: 3) }
      #expect(unsettled?.code == .unavailable && unsettled?.reason == "RIGHT_UNSETTLED")
      await service.deny()
      let refused = await #expect(throws: RPCError.self) { try await write(changing: 0) }
      #expect(refused?.reason == "CALLER_NOT_ALLOWED")
    }
  }
}

/// A real server of a scripted TenancyService, and the cache in front of it.
private struct Stage {
  private let service = ScriptedPermissions()
  private let loops: EventLoopGroup

  init() async throws {
    loops = try EventLoopGroup.epoll(count: 1)
  }

  func serving(
    sink: any LogSink = StandardErrorSink.shared,
    _ body: @Sendable (Permissions, ScriptedPermissions) async throws -> Void
  ) async throws {
    var configuration = ServerConfiguration(
      endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))]
    )
    configuration.limits.responseStreamDrainTimeout = .zero
    let server = Server(configuration, services: [service.definition], on: loops)
    try await server.serving { server in
      let channel = Channel(
        ChannelTarget(addresses: server.addresses),
        ChannelConfiguration(loops: loops)
      )
      let permissions = Permissions(
        channel,
        clock: SystemWallClock(),
        loop: loops.loops[0],
        logger: Logger(
          label: "test",
          level: sink is CollectingSink ? .trace : .critical,
          sink: sink
        ),
        metrics: PermissionMetrics(MetricRegistry())
      )
      await service.connect(channel)
      let push = Task { await permissions.run() }
      await service.waitForWatcher()
      // Until the first heartbeat has arrived nothing is believed. Without the yield the loop that is
      // to read it could be busy with asking.
      repeat {
        await Task.yield()
        _ = try await permissions.check("usr_0", "a", "dev_0")
      } while await service.isAsked()
      await service.resetCount()
      try await body(permissions, service)
      push.cancel()
      await channel.close()
    }
    loops.stop()
  }
}

/// Answers as it is told, and counts.
private actor ScriptedPermissions: Tenancy_V1.PermissionsService {
  private(set) var callCount = 0
  /// The change that the last question is to be answered from, at least.
  private(set) var lastRevision = ""
  /// How many questions each `BatchCheck` had.
  private(set) var batches: [Int] = []
  /// The one subject that is denied, if any.
  private var deniedSubject: String?
  private var reason = Tenancy_V1.Reason.allowed
  /// The token that proves what others are refused for.
  private var sufficientToken: String?
  private var fails = false
  private var isHeld = false
  private var held: [CheckedContinuation<Void, Never>] = []
  private var callWaiters: [CheckedContinuation<Void, Never>] = []
  private var watcher: AsyncThrowingStream<Tenancy_V1.Change, any Error>.Continuation?
  private var watcherWaiters: [CheckedContinuation<Void, Never>] = []

  /// A way to call this service.
  private(set) var channel: Channel?
  private var onListing: (@Sendable (CallContext) async throws -> Void)?

  func connect(_ channel: Channel) { self.channel = channel }
  /// Has `body` run for each call of `ListActions`, which then answers nothing.
  func whenListing(_ body: @escaping @Sendable (CallContext) async throws -> Void) {
    onListing = body
  }
  func hold() { isHeld = true }
  func deny(_ reason: Tenancy_V1.Reason = .expired) { self.reason = reason }
  func denyOnly(_ subject: String) { deniedSubject = subject }
  func allow(token: String) { sufficientToken = token }
  func fail() { fails = true }
  func recover() { fails = false }
  func resetCount() { callCount = 0 }
  /// Ends the stream, of which the next one takes the place.
  func endWatch(_ error: any Error) {
    watcher?.finish(throwing: error)
    watcher = nil
  }

  func push(_ change: Tenancy_V1.Change) { watcher?.yield(change) }

  /// Whether somebody asked since the last time.
  func isAsked() -> Bool {
    defer { callCount = 0 }
    return callCount > 0
  }

  func release() {
    isHeld = false
    for continuation in held { continuation.resume() }
    held = []
  }

  func waitForCall() async {
    guard callCount == 0 else { return }
    await withCheckedContinuation { callWaiters.append($0) }
  }

  func waitForWatcher() async {
    guard watcher == nil else { return }
    await withCheckedContinuation { watcherWaiters.append($0) }
  }

  nonisolated func check(
    _ request: Tenancy_V1.CheckRequest,
    _ call: CallContext
  ) -> Reply<Tenancy_V1.Decision> {
    .later { try await self.decision(request, call.metadata["authorization"]) }
  }

  private func decision(
    _ request: Tenancy_V1.CheckRequest,
    _ authorization: String?
  ) async throws -> Tenancy_V1.Decision {
    callCount += 1
    lastRevision = request.atLeastRevision
    for waiter in callWaiters { waiter.resume() }
    callWaiters = []
    if isHeld { await withCheckedContinuation { held.append($0) } }
    guard !fails else { throw RPCError(.internal, "no answer") }
    let isProven = authorization != nil && authorization == sufficientToken.map { "Bearer \($0)" }
    return isProven ? .init(allowed: true, reason: .allowed) : answer(to: request)
  }

  private func answer(to request: Tenancy_V1.CheckRequest) -> Tenancy_V1.Decision {
    let reason = request.subjectId == deniedSubject ? .noAssociation : reason
    return Tenancy_V1.Decision(
      allowed: reason == .allowed,
      reason: reason,
      ancestorIds: request.forCache ? ["unt_1", "prt_1"] : []
    )
  }

  func watchChanges(
    _ request: Tenancy_V1.WatchChangesRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Tenancy_V1.Change>
  ) async throws {
    let (changes, continuation) = AsyncThrowingStream.makeStream(of: Tenancy_V1.Change.self)
    watcher = continuation
    for waiter in watcherWaiters { waiter.resume() }
    watcherWaiters = []
    try await writer.write(.init(revision: "1", kind: .heartbeat))
    for try await change in changes { try await writer.write(change) }
  }

  func batchCheck(
    _ request: Tenancy_V1.BatchCheckRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.BatchCheckResponse {
    batches.append(request.checks.count)
    return .init(decisions: request.checks.map(answer(to:)))
  }

  func listActions(
    _ request: Tenancy_V1.ListActionsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListActionsResponse {
    guard let onListing else { throw RPCError(.unimplemented, "not asked") }
    try await onListing(call)
    return .init()
  }

  func listSubjects(
    _ request: Tenancy_V1.ListSubjectsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListSubjectsResponse {
    throw RPCError(.unimplemented, "not asked")
  }

  func explain(
    _ request: Tenancy_V1.ExplainRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Explanation {
    throw RPCError(.unimplemented, "not asked")
  }

  func fetch(
    _ request: Tenancy_V1.FetchPermissionsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.FetchPermissionsResponse {
    throw RPCError(.unimplemented, "not asked")
  }

  func listAccessible(
    _ request: Tenancy_V1.ListAccessibleRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListAccessibleResponse {
    throw RPCError(.unimplemented, "not asked")
  }
}
