internal import RPCKit
internal import ServiceKit

/// Sends waiting events to webhooks.
///
/// Of several programs that serve the store, the one that leads does. A delivery is taken away in a write after the
/// receiver has taken it, so a program that ends in between sends it again. Events of one lane go one after the other;
/// lanes go beside one another.
final class WebhookSender: Sendable {
  /// How often the store is asked for what has become due.
  private static let interval = Duration.milliseconds(500)
  /// How long a delivery waits that could not be decided on, in milliseconds.
  private static let undecidedWait: Int64 = 5_000

  private let core: TenancyCore
  private let rights: WebhookRights
  private let keys: WebhookKeys
  private let addresses: WebhookAddresses
  private let transport: any WebhookTransport
  private let metrics: WebhookMetrics
  private let signal = WakeSignal()
  private let schemas: EventSchemaAddress?
  private let flights: Lock<DeliveryFlights>

  init(
    _ core: TenancyCore,
    keys: WebhookKeys,
    addresses: WebhookAddresses,
    transport: any WebhookTransport,
    metrics: WebhookMetrics,
    schemas: EventSchemaAddress?,
    countMaxInSecond: Int
  ) {
    (self.core, self.keys, self.addresses) = (core, keys, addresses)
    (self.transport, self.metrics, self.schemas) = (transport, metrics, schemas)
    flights = Lock(DeliveryFlights(countMaxInSecond: countMaxInSecond))
    rights = WebhookRights(core: core)
  }

  /// Has what was queued sent at once.
  func wake() {
    flights.withLock { $0.hasNews = true }
    signal.announce()
  }

  /// Sends what is due, until the task is cancelled.
  func run(on loop: any EventLoop) async {
    await withDiscardingTaskGroup { group in
      group.addTask { [self] in
        while !Task.isCancelled {
          await loop.sleep(Self.interval)
          wake()
        }
      }
      while !Task.isCancelled {
        // Before the store, so that nothing is missed in between.
        let version = signal.version
        for delivery in await departures() {
          group.addTask { [self] in
            await deliver(delivery)
            land(delivery)
            signal.announce()
          }
        }
        await signal.wait(past: version)
      }
    }
  }

  /// Sends all that is due now, one after the other.
  func drain() async {
    while case let due = await departures(), !due.isEmpty {
      for delivery in due {
        await deliver(delivery)
        land(delivery)
      }
    }
  }

  // MARK: - What is on its way

  /// The next deliveries that may be on their way beside those that are.
  private func departures() async -> [Delivery] {
    let now = core.clock.now
    let (departing, busy) = flights.withLock { flights -> ([Delivery], Set<String>?) in
      guard flights.hasRoom else { return ([], nil) }
      let departing = flights.hasNews ? [] : flights.depart(at: now)
      guard departing.isEmpty else { return (departing, nil) }
      flights.hasNews = false
      return ([], flights.busy)
    }
    guard let busy else { return departing }
    do {
      let due = try await core.database.read { tx in
        try DeliveryTable.due(
          now: now,
          except: busy,
          limit: DeliveryFlights.readCount,
          in: tx
        )
      }
      return flights.withLock { flights in
        flights.note(due)
        return flights.depart(at: now)
      }
    } catch {
      core.logger.warning("waiting events cannot be read; retrying", ["error": "\(error)"])
      return []
    }
  }

  private func land(_ delivery: Delivery) { flights.withLock { $0.land(delivery) } }

  private func note(_ webhookID: String, isFailing: Bool) {
    flights.withLock { $0.note(webhookID, isFailing: isFailing) }
  }

  // MARK: - One delivery

  /// Sends an event, and writes what became of it.
  private func deliver(_ delivery: Delivery) async {
    do {
      let (isCurrent, found) = try await core.database.read { tx -> (Bool, Departure?) in
        // It was read while the attempt before was on its way, and taken when that had landed.
        guard try DeliveryTable.find(delivery, in: tx) == delivery else { return (false, nil) }
        guard let webhook = try WebhookTable.find(delivery.webhookID, in: tx),
          let event = try WebhookEventTable.find(delivery.sequence, in: tx)
        else { return (true, nil) }
        return (true, Departure(webhook: webhook, event: event))
      }
      guard isCurrent else { return }
      guard let found else { return try await finish(delivery) }
      // The answer to the one before may have stopped it.
      guard found.webhook.isSending(at: core.clock.now) else { return }
      switch try await rights.verdict(found.webhook, found.event) {
      case .allowed: try await send(found.event, delivery, found.webhook)
      case .notAllowed: try await settle(found.event, delivery, .notAllowed, nil)
      case .makerLostRole: try await pause(found.webhook)
      }
    } catch is CancellationError {
      // It is due still.
    } catch {
      core.logger.warning(
        "an event could not be sent; retrying",
        ["webhook": .string(delivery.webhookID), "error": "\(error)"]
      )
      let due = core.clock.now + Self.undecidedWait
      _ = try? await core.changeOwn { tx in
        try DeliveryTable.hold(delivery, until: due, in: tx)
      }
    }
  }

  private func send(
    _ event: WebhookEvent,
    _ delivery: Delivery,
    _ webhook: WebhookRecord
  ) async throws {
    let (content, now) = (WebhookRequest(event, schemas: schemas), core.clock.now)
    let fields = content.fields(
      at: now,
      attempt: delivery.attempts + 1,
      isReplay: delivery.isReplay,
      signers: keys.current(of: webhook, now: now)
    )
    let answer =
      if let request = webhook.request(content, fields, addresses) {
        await transport.send(request)
      } else { DeliveryRules.Answer.none }
    try Task.checkCancellation()
    note(webhook.id, isFailing: !answer.isSuccess)
    try await settle(event, delivery, answer.outcome, answer, since: now)
  }

  /// Writes how an attempt ended, and what follows.
  private func settle(
    _ event: WebhookEvent,
    _ delivery: Delivery,
    _ outcome: DeliveryAttempt.Outcome,
    _ answer: DeliveryRules.Answer?,
    since start: Int64? = nil
  ) async throws {
    let chance = Double(core.random.number() % 1024) / 1024
    let duration = max(0, core.clock.now - (start ?? core.clock.now))
    let hasGivenUp = try await core.changeOwn { tx -> Bool in
      guard let current = try DeliveryTable.find(delivery, in: tx),
        let webhook = try WebhookTable.find(delivery.webhookID, in: tx)
      else { return false }
      try tx.insert(
        DeliveryAttempt(
          webhookID: webhook.id,
          eventID: event.id,
          type: event.event.type,
          object: event.event.object,
          attemptedAt: tx.now,
          attempt: current.attempts + 1,
          isReplay: current.isReplay,
          outcome: outcome,
          status: answer?.code ?? 0,
          duration: duration
        ),
        DeliveryAttempt.columns
      )
      guard let answer, !answer.isSuccess else {
        try DeliveryTable.finish(current, now: tx.now, in: tx)
        guard answer != nil else { return false }
        try WebhookTable.update(webhook.succeeded(at: tx.now), in: tx)
        if webhook.state == .down { try DeliveryTable.hasten(webhook.id, now: tx.now, in: tx) }
        return false
      }
      let consequence = DeliveryRules.consequence(
        of: answer,
        to: current,
        webhook,
        now: tx.now,
        chance: chance
      )
      let told = try WebhookNews.tell(of: consequence.webhook, before: webhook, now: tx.now, in: tx)
      try WebhookTable.update(told, in: tx)
      guard let retry = consequence.retryAt else {
        try DeliveryTable.giveUp(current, now: tx.now, in: tx)
        return true
      }
      try DeliveryTable.postpone(current, until: retry, in: tx)
      return false
    }
    metrics.attempts.increment(outcome)
    if hasGivenUp { metrics.givenUp.increment() }
  }

  /// Sends a ping, which confirms a webhook when it is answered; the answer.
  func ping(_ webhookID: String) async -> DeliveryRules.Answer {
    let (id, now) = (core.identifiers.make(.event), core.clock.now)
    let challenge = Base64URL.encode(core.random.bytes(18))
    guard
      let webhook = try? await core.database.read({ tx in
        try WebhookTable.find(webhookID, in: tx)
      })
    else { return .none }
    let content = WebhookRequest(ping: id, challenge: challenge, now: now)
    let signers = keys.current(of: webhook, now: now)
    let fields = content.fields(at: now, attempt: 1, isReplay: false, signers: signers)
    guard let request = webhook.request(content, fields, addresses) else { return .none }
    let answer = await transport.send(request)
    let duration = core.clock.now - now
    _ = try? await core.changeOwn { tx in
      guard let current = try WebhookTable.find(webhookID, in: tx) else { return }
      try tx.insert(
        DeliveryAttempt(
          webhookID: webhookID,
          eventID: id,
          type: DeliveryAttempt.pingType,
          object: "",
          attemptedAt: tx.now,
          attempt: 1,
          isReplay: false,
          outcome: answer.outcome,
          status: answer.code,
          duration: duration
        ),
        DeliveryAttempt.columns
      )
      // Of an address that was changed in the meantime this says nothing.
      guard answer.isSuccess, current.url == webhook.url, current.state != .paused else { return }
      try WebhookTable.update(current.succeeded(at: tx.now), in: tx)
      try DeliveryTable.hasten(webhookID, now: tx.now, in: tx)
    }
    note(webhookID, isFailing: !answer.isSuccess)
    wake()
    return answer
  }

  private func finish(_ delivery: Delivery) async throws {
    try await core.changeOwn { tx in
      try DeliveryTable.finish(delivery, now: tx.now, in: tx)
    }
  }

  private func pause(_ webhook: WebhookRecord) async throws {
    core.logger.notice(
      "a webhook is paused: its maker may no longer manage it",
      ["webhook": .string(webhook.id)]
    )
    try await core.changeOwn { tx in
      guard var current = try WebhookTable.find(webhook.id, in: tx),
        current.createdBy == webhook.createdBy
      else { return }
      let before = current
      (current.state, current.pausedBecause) = (.paused, .makerLostRole)
      let told = try WebhookNews.tell(of: current, before: before, now: tx.now, in: tx)
      try WebhookTable.update(told, in: tx)
    }
  }
}

/// A delivery that is about to be made.
private struct Departure: Sendable {
  let webhook: WebhookRecord
  let event: WebhookEvent
}

extension DeliveryRules.Answer {
  /// The status; 0 without an answer.
  var code: Int {
    if case .status(let status, _) = self { return status }
    return 0
  }
}
