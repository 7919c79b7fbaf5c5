import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import ServiceTesting
import StrictJSON
import Testing

@testable import TenancyService

/// What a service sends webhooks to, and what it hears of besides its own store.
struct WebhookFixture: Sendable {
  let receiver = RecordingReceiver()
  var sources: [any EventSource] = []
  /// The pace has a test of its own; here nothing waits for the clock.
  var settings = WebhookSettings(countMaxInSecond: 10_000)
  var notices = NoticeSettings(access: true)
  let post = RecordingNotices()
}

/// Takes notices as a test says, and keeps them.
final class RecordingNotices: NoticePost {
  private let state = Lock<(notices: [Notice], failure: RPCError?)>(([], nil))

  func take(_ notice: Notice) async throws {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      state.notices.append(notice)
    }
  }

  /// Refuses what comes from now on; nil takes it.
  func fail(_ failure: RPCError?) { state.withLock { $0.failure = failure } }

  /// The notices since the last look.
  func taken() -> [Notice] {
    state.withLock { state in
      defer { state.notices = [] }
      return state.notices
    }
  }
}

/// Answers requests as a test says, and keeps them.
final class RecordingReceiver: WebhookTransport {
  private struct State {
    var requests: [HTTPFetch] = []
    var answer: @Sendable (HTTPFetch) -> DeliveryRules.Answer = { _ in .status(200, wait: nil) }
  }

  private let state = Lock(State())

  func send(_ request: HTTPFetch) async -> DeliveryRules.Answer {
    let answer = state.withLock { state in
      state.requests.append(request)
      return state.answer
    }
    return answer(request)
  }

  /// Answers all further requests so.
  func answer(_ answer: @escaping @Sendable (HTTPFetch) -> DeliveryRules.Answer) {
    state.withLock { $0.answer = answer }
  }

  /// Answers all further requests with a status.
  func answer(_ status: Int, wait: Int64? = nil) { answer { _ in .status(status, wait: wait) } }

  /// The requests since the last look.
  func taken() -> [HTTPFetch] {
    state.withLock { state in
      defer { state.requests = [] }
      return state.requests
    }
  }

  /// The events of the requests since the last look, pings left out.
  func events() throws -> [ReceivedEvent] {
    try taken().map { try ReceivedEvent($0) }.filter { $0.type != "webhook.ping" }
  }
}

/// An event as a receiver reads it.
struct ReceivedEvent: Hashable {
  let id: String
  let type: String
  let subject: String
  let data: [String: String]
  let isReplay: Bool

  init(_ request: HTTPFetch) throws {
    let object = try JSONReader.read(request.content, limits: JSONLimits(byteCountMax: 8192)).object
    func text(_ name: String) -> String { object?[name]?.string ?? "" }
    id = text("id")
    type = String(text("type").dropFirst("gatehouse.".count))
    subject = text("subject")
    let members = object?["data"]?.object ?? [:]
    // All that a test sees is held against the schemas.
    #expect(try EventSchemaFile(of: type).mistakes(in: members) == [], "\(type)")
    var data: [String: String] = [:]
    for member in members.members { data[member.name] = member.value.string }
    self.data = data
    isReplay = request.fields.contains { $0.name == "webhook-replay" }
  }
}

extension HTTPFetch {
  /// The value of a field.
  func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}

extension TenancyStage {
  /// Makes a webhook that gets events, and forgets the ping.
  func makeWebhook(
    on entityID: String,
    by user: String,
    types: [String] = [],
    role: String = "",
    url: String = "https://hooks.example.com/in",
    signature: Tenancy_V1.WebhookSignature = .unspecified,
    _ fixture: WebhookFixture
  ) async throws -> Tenancy_V1.CreateWebhookResponse {
    await service.webhooks?.intake.drain()
    var made = try await webhooks.create(
      .init(
        entityId: entityID,
        url: url,
        types: types,
        role: role,
        signature: signature
      ),
      options: .by(user, isRecent: true)
    )
    let ping = try await webhooks.ping(.init(id: made.webhook?.id ?? ""), options: .by(user))
    made.webhook = ping.webhook
    _ = fixture.receiver.taken()
    return made
  }

  /// Hands over the notices of what has happened.
  func tell() async throws { while try await service.notices?.advance() == true {} }

  /// Takes in what has happened, and sends what is due.
  func deliver() async {
    await service.webhooks?.intake.drain()
    await service.webhooks?.sender.drain()
  }
}
