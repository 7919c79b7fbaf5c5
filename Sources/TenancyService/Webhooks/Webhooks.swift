internal import AccessEngine
internal import RPCKit
internal import ServiceKit
internal import StrictJSON

/// Settings of webhooks; absent where none are sent.
struct WebhookSettings: Sendable {
  /// Networks of the installation that receivers may be in.
  var allowedNetworks: [AddressNetwork] = []
  /// The file with the authorities (PEM) of receivers instead of the system's.
  var authorities: String?
  /// Where receivers find the schemas of events; nil to name none.
  var schemas: EventSchemaAddress?
  /// Deliveries to one webhook in a second, at most.
  var countMaxInSecond = countMaxInSecondStandard

  static let countMaxInSecondStandard = 50

  /// Reads the setting `webhooks`; nil if it is absent.
  static func read(_ field: JSONField?) throws(JSONDecodingError) -> WebhookSettings? {
    guard let field else { return nil }
    var members = try field.members()
    var settings = WebhookSettings()
    for network in try members.optional("allowed_networks")?.elements() ?? [] {
      guard let parsed = AddressNetwork(try network.string()) else {
        throw network.error("must be a network like 10.0.0.0/8")
      }
      settings.allowedNetworks.append(parsed)
    }
    settings.authorities = try members.optional("authorities")?.nonEmptyString()
    if let url = members.optional("public_url") {
      settings.schemas = try EventSchemaAddress(url)
    }
    if let count = members.optional("per_second") {
      settings.countMaxInSecond = Int(try count.integer(in: 1...10_000))
    }
    try members.finish()
    return settings
  }
}

/// All parts of webhooks, where they are sent.
struct Webhooks: Sendable {
  let keys: WebhookKeys
  let schemas: EventSchemaAddress?
  let addresses: WebhookAddresses
  let metrics: WebhookMetrics
  let sender: WebhookSender
  let intake: EventIntake
  /// The services whose events webhooks get.
  let sources: [any EventSource]
  private let core: TenancyCore

  init(
    _ core: TenancyCore,
    _ settings: WebhookSettings,
    secret: [UInt8],
    sources: [any EventSource],
    transport: any WebhookTransport
  ) {
    guard let key = SealingKey(secret) else {
      preconditionFailure("a secret of the store has the 32 bytes of a key")
    }
    (self.core, self.sources) = (core, sources)
    keys = WebhookKeys(key: key, random: core.random)
    addresses = WebhookAddresses(
      allowed: settings.allowedNetworks,
      authorities: settings.authorities
    )
    metrics = WebhookMetrics(core.metrics)
    let sender = WebhookSender(
      core,
      keys: keys,
      addresses: addresses,
      transport: transport,
      metrics: metrics,
      schemas: settings.schemas,
      countMaxInSecond: settings.countMaxInSecond
    )
    schemas = settings.schemas
    self.sender = sender
    intake = EventIntake(core, sources, metrics: metrics) { sender.wake() }
  }

  /// The work of the program that leads, until the task is cancelled.
  func run(on loop: any EventLoop) async {
    await withDiscardingTaskGroup { group in
      group.addTask { await intake.run(on: loop) }
      group.addTask { await sender.run(on: loop) }
      group.addTask { await RoleTimes(core: core).run(on: loop) }
    }
  }

  /// Forgets what is older than events are kept, and the webhooks of tenants that are gone.
  func purge(now: Int64) async throws {
    let (core, metrics, before) = (core, metrics, now - EventTable.lifetime)
    let pieceCount = 200
    // Looked at by readers: mostly there is nothing to delete, and a write would be one for nothing.
    let (hasOld, hasOrphans) = try await core.database.read { tx in
      (
        try WebhookEventTable.has(before: before, in: tx),
        try !WebhookTable.orphans(system: Forest.systemIdentifier, in: tx).isEmpty
      )
    }
    var purged = PurgedEvents(eventCount: hasOld ? pieceCount : 0)
    while purged.eventCount == pieceCount {
      purged = try await core.changeOwn { tx in
        let purged = try WebhookEventTable.purge(before: before, limit: pieceCount, in: tx)
        try EventIntake.queueResync(for: purged.missed, core.identifiers, in: tx)
        return purged
      }
      metrics.dropped.add(UInt64(purged.deliveryCount))
    }
    if hasOrphans {
      try await core.changeOwn { tx in
        for webhook in try WebhookTable.orphans(system: Forest.systemIdentifier, in: tx) {
          try WebhookTable.delete(webhook.id, in: tx)
        }
      }
    }
    try await core.database.purge("webhook_attempt", "attempted_at", before: before, by: "sequence")
    let waiting = try await core.database.read { tx in try DeliveryTable.waiting(in: tx) }
    metrics.waiting.set(Int(waiting.count - waiting.givenUpCount))
    metrics.oldest.set(Int(max(0, now - (waiting.oldestDue ?? now)) / 1000))
  }
}
