internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit
internal import TenancyContracts

/// `tenancy.v1.Webhooks`.
struct WebhooksHandler: Tenancy_V1.WebhooksService {
  /// Pings of one webhook in a minute.
  private static let pingCountMax: Int64 = 10
  /// Events that one call sends again.
  private static let replayCountMax = 100_000

  let core: TenancyCore
  /// Nil where no webhooks are sent.
  let webhooks: Webhooks?

  // MARK: Settings

  func create(
    _ request: Tenancy_V1.CreateWebhookRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.CreateWebhookResponse {
    let webhooks = try sending()
    let draft = try WebhookDraft(
      request.url,
      request.types,
      request.role,
      name: request.name,
      webhooks.addresses,
      core.policy
    )
    let id = core.identifiers.make(.webhook)
    let (key, isPair) = (webhooks.keys.make(for: id), try request.signature.isPair)
    var response = try await core.write(call, request) { changes, tx in
      try changes.requireWebhooks(of: request.entityId, tx)
      let others = try WebhookTable.all(of: request.entityId, in: tx)
      guard others.count < WebhookRecord.countMax else { throw WebhookError.tooMany }
      let record = WebhookRecord(
        id: id,
        entityID: request.entityId,
        url: draft.url,
        name: draft.name,
        types: draft.types,
        role: draft.role,
        secret: key.sealed,
        state: .unconfirmed,
        createdBy: changes.user.userID,
        createdAt: tx.now,
        updatedAt: tx.now,
        publicKey: isPair ? key.publicText : ""
      )
      try WebhookTable.insert(record, in: tx)
      try tx.audit("webhook.create", object: id, scope: request.entityId)
      return Tenancy_V1.CreateWebhookResponse(webhook: .init(record))
    }
    if !isPair { response.secret = key.secretText }
    return response
  }

  func update(
    _ request: Tenancy_V1.UpdateWebhookRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Webhook {
    let webhooks = try sending()
    let draft = try WebhookDraft(
      request.url,
      request.types,
      request.role,
      name: request.name,
      webhooks.addresses,
      core.policy
    )
    return try await change(request.id, "webhook.update", request, call) { record, tx in
      if record.url != draft.url {
        // Somebody else's address has to show that it wants events.
        (record.state, record.pausedBecause) = (.unconfirmed, .none)
        (record.failingSince, record.failureCount, record.notBefore) = (nil, 0, 0)
        record.toldHours = 0
      }
      (record.url, record.types, record.role) = (draft.url, draft.types, draft.role)
      record.name = draft.name
    }
  }

  func rotateSecret(
    _ request: Tenancy_V1.RotateWebhookSecretRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RotateWebhookSecretResponse {
    let key = try sending().keys.make(for: request.id)
    let webhook = try await change(request.id, "webhook.rotate_secret", request, call) {
      record,
      tx in
      record.formerSecret = record.secret
      record.formerSecretUntil = tx.now + WebhookRecord.formerSecretLifetime
      record.secret = key.sealed
      if record.hasKeyPair { record.publicKey = key.publicText }
    }
    return .init(webhook: webhook, secret: webhook.publicKey.isEmpty ? key.secretText : "")
  }

  func delete(
    _ request: Tenancy_V1.DeleteWebhookRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.DeleteWebhookResponse {
    try await core.write(call, request) { changes, tx in
      // One that is not there is answered like somebody else's.
      let record = try changes.core.webhook(request.id, changes.user, tx)
      try WebhookTable.delete(record.id, in: tx)
      try tx.audit("webhook.delete", object: record.id, scope: record.entityID)
      return .init(deleted: true)
    }
  }

  // MARK: Looking

  func get(
    _ request: Tenancy_V1.GetWebhookRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Webhook {
    let (user, core) = (try call.requireUser(), core)
    return try await core.read { tx in
      let record = try core.webhook(request.id, user, tx)
      return .init(record, try DeliveryTable.waiting(for: record.id, in: tx))
    }
  }

  func list(
    _ request: Tenancy_V1.ListWebhooksRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListWebhooksResponse {
    let (user, core) = (try call.requireUser(), core)
    return try await core.read { tx in
      try core.requireWebhooks(of: request.entityId, user, tx)
      let records = try WebhookTable.all(of: request.entityId, in: tx)
      return .init(
        webhooks: try records.map {
          .init($0, try DeliveryTable.waiting(for: $0.id, in: tx))
        }
      )
    }
  }

  func listAttempts(
    _ request: Tenancy_V1.ListWebhookAttemptsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListWebhookAttemptsResponse {
    let (user, core) = (try call.requireUser(), core)
    let outcome = try DeliveryAttempt.Outcome(request.outcome)
    let asked = try core.asked(
      request,
      for: [request.id, "\(request.failuresOnly)", outcome?.rawValue ?? ""],
      call.caller
    )
    let before = asked.cursor.flatMap { Int64($0[0]) } ?? .max
    let rows = try await core.read { tx in
      let record = try core.webhook(request.id, user, tx)
      return try DeliveryAttempt.list(
        of: record.id,
        failuresOnly: request.failuresOnly,
        outcome: outcome,
        before: before,
        limit: asked.size + 1,
        in: tx
      )
    }
    let page = try core.page(of: rows, asked, after: { ["\($0.sequence)"] }) {
      Tenancy_V1.WebhookAttempt($0)
    }
    return .init(attempts: page.items, nextPageToken: page.nextToken)
  }

  // MARK: Running

  func pause(
    _ request: Tenancy_V1.PauseWebhookRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Webhook {
    try await change(request.id, "webhook.pause", request, call) { record, _ in
      (record.state, record.pausedBecause) = (.paused, .requested)
    }
  }

  func resume(
    _ request: Tenancy_V1.ResumeWebhookRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Webhook {
    let user = try call.requireUser()
    let start = try request.droppingBefore?.milliseconds(field: "dropping_before")
    if let start { try await drop(before: start, of: request.id, call) }
    let webhook = try await change(request.id, "webhook.resume", request, call) { record, tx in
      guard record.state != .unconfirmed else { return }
      (record.state, record.pausedBecause) = (.active, .none)
      (record.failingSince, record.failureCount, record.failedLane) = (nil, 0, "")
      (record.notBefore, record.toldHours) = (0, 0)
      record.createdBy = user.userID
      try DeliveryTable.hasten(record.id, now: tx.now, in: tx)
    }
    webhooks?.sender.wake()
    return webhook
  }

  func ping(
    _ request: Tenancy_V1.PingWebhookRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.PingWebhookResponse {
    let (user, webhooks, now) = (try call.requireUser(), try sending(), core.clock.now)
    let core = core
    let record = try await core.write(call, request) { changes, tx in
      let record = try core.webhook(request.id, user, tx)
      let count = try DeliveryAttempt.pingCount(of: record.id, since: now - 60_000, in: tx)
      guard count < Self.pingCountMax else { throw WebhookError.tooManyPings }
      try tx.audit("webhook.ping", object: record.id, scope: record.entityID)
      return Tenancy_V1.Webhook(record)
    }
    let answer = await webhooks.sender.ping(record.id)
    return try await core.read { tx in
      let record = try core.webhook(request.id, user, tx)
      return .init(
        isAnswered: answer.isSuccess,
        status: UInt32(clamping: answer.code),
        webhook: .init(record, try DeliveryTable.waiting(for: record.id, in: tx))
      )
    }
  }

  func replay(
    _ request: Tenancy_V1.ReplayWebhookRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ReplayWebhookResponse {
    let since = try request.since?.milliseconds(field: "since")
    let until = try request.until?.milliseconds(field: "until")
    let core = core
    let response = try await core.write(call, request) { changes, tx in
      let record = try core.webhook(request.id, changes.user, tx)
      let events = try WebhookReplay(eventID: request.eventId, since: since, until: until)
        .events(for: record, limit: Self.replayCountMax, in: tx)
      guard !request.isDryRun else {
        return Tenancy_V1.ReplayWebhookResponse(count: UInt32(clamping: events.count))
      }
      for event in events {
        try DeliveryTable.queue(
          event.sequence,
          lane: event.lane,
          to: record.id,
          isReplay: true,
          now: tx.now,
          in: tx
        )
      }
      try tx.audit(
        "webhook.replay",
        object: record.id,
        scope: record.entityID,
        detail: "\(events.count) events"
      )
      return Tenancy_V1.ReplayWebhookResponse(count: UInt32(clamping: events.count))
    }
    webhooks?.sender.wake()
    return response
  }

  // MARK: - Parts

  /// The parts that send; FAILED_PRECONDITION where nothing is sent.
  private func sending() throws(RPCError) -> Webhooks {
    guard let webhooks else { throw WebhookError.notSending }
    return webhooks
  }

  /// Changes a webhook that the caller may manage.
  private func change<Request: Message>(
    _ id: String,
    _ action: String,
    _ request: Request,
    _ call: CallContext,
    _ body: @escaping @Sendable (inout WebhookRecord, borrowing WriteTransaction) throws -> Void
  ) async throws -> Tenancy_V1.Webhook {
    let core = core
    return try await core.write(call, request) { changes, tx in
      var record = try core.webhook(id, changes.user, tx)
      try body(&record, tx)
      record.updatedAt = tx.now
      try WebhookTable.update(record, in: tx)
      try tx.audit(action, object: id, scope: record.entityID)
      return .init(record, try DeliveryTable.waiting(for: id, in: tx))
    }
  }

  /// Drops what a webhook need not get any longer, in pieces.
  private func drop(before instant: Int64, of id: String, _ call: CallContext) async throws {
    let (core, pieceCount) = (core, 1000)
    var count = pieceCount
    while count == pieceCount {
      let dropped = try await core.write(call, Tenancy_V1.ReplayWebhookRequest()) { changes, tx in
        let record = try core.webhook(id, changes.user, tx)
        let count = try DeliveryTable.drop(
          before: instant,
          of: record.id,
          limit: pieceCount,
          in: tx
        )
        return Tenancy_V1.ReplayWebhookResponse(count: UInt32(clamping: count))
      }
      count = Int(dropped.count)
    }
  }
}

extension Tenancy_V1.ListWebhookAttemptsRequest: PagedRequest {}

// MARK: - Rights

extension WebhooksHandler {
  func listen(
    _ request: Tenancy_V1.ListenWebhookRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Tenancy_V1.ListenedEvent>
  ) async throws {
    let (core, user, webhooks) = (core, try call.requireUser(), try sending())
    try WebhookDraft.check(request.types, request.role, core.policy)
    let held = try await core.read { tx in
      try core.requireWebhooks(of: request.entityId, user, tx)
    }
    if let held { try await core.record(held, seenBy: call) }
    let webhook = WebhookRecord(
      id: "",
      entityID: request.entityId,
      url: "",
      types: request.types,
      role: request.role,
      secret: [],
      state: .active,
      createdBy: user.userID,
      createdAt: core.clock.now,
      updatedAt: core.clock.now
    )
    let listening = WebhookListening(
      core: core,
      sources: webhooks.sources,
      webhook: webhook,
      schemas: webhooks.schemas,
      loop: call.loop
    )
    let position = try await listening.position()
    // What happens once this is there is heard of.
    try await writer.write(listening.heartbeat(at: position))
    try await listening.tell(
      after: position,
      heartbeatInterval: WebhookListening.heartbeatInterval,
      on: call,
      to: writer
    )
  }
}

extension TenancyCore {
  /// A webhook that a user may manage; NOT_FOUND for others, as for those that are not there.
  func webhook(
    _ id: String,
    _ user: UserIdentity,
    _ tx: borrowing some Queryable
  ) throws -> WebhookRecord {
    guard let record = try WebhookTable.find(id, in: tx) else { throw TenancyError.notFound }
    try requireWebhooks(of: record.entityID, user, tx)
    return record
  }

  /// Throws unless a user may manage the webhooks of a tenant, which it returns, or of the installation.
  @discardableResult
  func requireWebhooks(
    of entityID: String,
    _ user: UserIdentity,
    _ tx: borrowing some Queryable
  ) throws -> HeldEntity? {
    guard entityID != Forest.systemIdentifier else {
      try require(BuiltIn.administer, on: entityID, user, tx)
      return nil
    }
    let held = try require(.manageWebhooks, on: entityID, user, needsFeatures: false, tx)
    guard held.record.rootID == held.record.id else { throw WebhookError.notATenant }
    return held
  }
}

extension ChangeSet {
  fileprivate func requireWebhooks(
    of entityID: String,
    _ tx: borrowing WriteTransaction
  ) throws {
    try core.requireWebhooks(of: entityID, user, tx)
  }
}
