import RPCKit
import RPCKitTesting
import ServiceKit

@testable import AuthService

/// A way for mails to leave that does what the test says, and keeps what it was given.
final class ScriptedTransport: MailTransport {
  let batchCount: Int
  private let outcomes: Lock<[MailOutcome]>
  private let given = Lock<[MailMessage]>([])

  /// Answers with these outcomes, the last one again and again.
  init(_ outcomes: MailOutcome..., batchCount: Int = 3) {
    self.batchCount = batchCount
    self.outcomes = Lock(outcomes)
  }

  var mails: [MailMessage] { given.withLock { $0 } }

  func deliver(_ mails: [MailMessage], isStopping: @escaping () -> Bool) -> [MailOutcome] {
    given.withLock { $0 += mails }
    return mails.map { _ in
      outcomes.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? .sent }
    }
  }
}

/// A way for mails to leave whose parts wait for each other, and that refuses every third mail.
final class PartedTransport: MailTransport {
  let batchCount = 100
  let partCount = 4
  /// Mails of each part that was handed over.
  let parts = Lock<[Int]>([])
  /// The reason for each mail that was refused.
  let refused = Lock<[String: String]>([:])
  /// Parts that have to be there at the same time.
  let wanted = Lock(3)
  private let present = Lock(0)

  func deliver(_ mails: [MailMessage], isStopping: @escaping () -> Bool) -> [MailOutcome] {
    parts.withLock { $0.append(mails.count) }
    present.withLock { $0 += 1 }
    // Each on a thread of its own, or this would never end.
    while present.withLock({ $0 }) < wanted.withLock({ $0 }) {}
    return mails.map { mail in
      let number = Int(mail.recipient.drop { !$0.isNumber }.prefix { $0.isNumber }) ?? 1
      guard number.isMultiple(of: 3) else { return .sent }
      let reason = "not \(mail.recipient)"
      refused.withLock { $0[mail.id] = reason }
      return .refused(reason)
    }
  }
}

/// An outbox of its own on the store of a stage.
struct OutboxStage {
  let stage: AuthStage
  let outbox: Outbox
  let registry = MetricRegistry()

  var core: AuthCore { stage.service.core }

  init(
    _ stage: AuthStage,
    _ transport: any MailTransport,
    attemptCountMax: Int64,
    queueCountMax: Int
  ) throws {
    self.stage = stage
    var settings = stage.service.settings.mail
    settings.attemptCountMax = attemptCountMax
    settings.queueCountMax = queueCountMax
    let core = stage.service.core
    outbox = Outbox(
      settings,
      templates: try settings.readTemplates(),
      transport: transport,
      sealing: core.secrets.sealing,
      lookup: core.secrets.lookup,
      clock: core.clock,
      random: core.random,
      identifiers: core.identifiers,
      logger: core.logger,
      metrics: OutboxMetrics(registry)
    )
  }

  /// Queues a notice to an address.
  @discardableResult
  func queue(
    _ address: String = "ada@example.org",
    of user: String,
    for holder: PlaceHolder? = nil
  ) async throws -> Bool {
    let outbox = outbox
    return try await core.store.writeOwn { tx in
      try outbox.queue(
        MailOrder(
          .passwordChanged,
          to: .address(address),
          userID: user,
          values: ["time": "now"]
        ),
        of: holder,
        in: tx
      )
    }
  }

  func drain() async { await outbox.drain(core.store) }

  /// What the outbox has: `kind state attempts error`, oldest first.
  func rows() async throws -> [String] {
    try await core.database.read { tx in
      try MailTable.page(nil, to: "", after: nil, limit: 1000, in: tx).reversed().map {
        "\($0.kind) \($0.state) \($0.attemptCount) \($0.error)"
      }
    }
  }

  func metric(_ series: String) -> String {
    let text = String(decoding: registry.render(), as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix(series + " ") }
    return line.map { String($0.dropFirst(series.count + 1)) } ?? "none"
  }
}
