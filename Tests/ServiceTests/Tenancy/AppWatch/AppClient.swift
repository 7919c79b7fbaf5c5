import PeerContracts
import RPCKit
import TenancyContracts

/// An app that watches, as a test reads it.
struct AppClient {
  typealias Events = ResponseStream<Tenancy_V1.AppEvent>.AsyncIterator

  let stage: TenancyStage
  let user: String
  /// The token of the last event.
  private(set) var token: String
  private var events: Events
  /// Tells the marks of this app from those of others of its user.
  private let name = "m\(UInt64.random(in: 0...(.max)))-"
  private var marks = 0

  init(
    _ stage: TenancyStage,
    _ user: String,
    after token: String = "",
    kinds: [Tenancy_V1.AppEventKind] = [],
    collections: [String] = [],
    session: String = "ses_test"
  ) {
    (self.stage, self.user, self.token) = (stage, user, token)
    events = Tenancy_V1.AppWatchClient(stage.channel).watch(
      .init(resumeToken: token, kinds: kinds, collections: collections),
      options: CallOptions(
        timeout: .seconds(120),
        metadata: ["test-user": user, "test-acr": "pwd", "test-session": session]
      )
    ).makeAsyncIterator()
  }

  /// The next event that says something; heartbeats come when they like.
  mutating func next() async throws -> Tenancy_V1.AppEvent? {
    while let event = try await events.next() {
      token = event.resumeToken
      if event.kind != .heartbeat { return event }
    }
    return nil
  }

  /// Everything up to CURRENT, in words.
  @discardableResult
  mutating func current() async throws -> [String] {
    var found: [String] = []
    while let event = try await next(), event.kind != .current { found.append(Self.text(event)) }
    return found
  }

  /// Everything that is told of what has happened until now, in words.
  mutating func told() async throws -> [String] {
    try await toldEvents().map(Self.text)
  }

  /// Everything that is told of what has happened until now: what follows is a document of its own.
  mutating func toldEvents() async throws -> [Tenancy_V1.AppEvent] {
    marks += 1
    _ = try await stage.documents.put(
      .init(put: .init(collection: "marks", documentId: "\(name)\(marks)")),
      options: .by(user)
    )
    var found: [Tenancy_V1.AppEvent] = []
    while let event = try await next() {
      if event.collection == "marks", event.objectId == "\(name)\(marks)" { return found }
      if event.collection != "marks" { found.append(event) }
    }
    return found
  }

  /// How the watch ends, after whatever comes before that.
  mutating func ending() async -> String {
    do {
      while try await events.next() != nil {}
      return "OK"
    } catch let error as RPCError {
      return Refusal(error).description
    } catch {
      return "\(error)"
    }
  }

  /// `device dev_1 gone`.
  static func text(_ event: Tenancy_V1.AppEvent) -> String {
    let kind =
      switch event.kind {
      case .current: "current"
      case .resync: "resync"
      case .rights: "rights"
      case .plan: "plan"
      case .device: "device"
      case .points: "points"
      case .invitation: "invitation"
      case .document: "document"
      case .profile: "profile"
      default: "kind \(event.kind.rawValue)"
      }
    let object = event.kind == .resync ? event.objectType : event.objectId
    let subject = event.subject?.id ?? ""
    let parts = [kind, object, subject, event.gone ? "gone" : "", event.repeated ? "repeated" : ""]
    return parts.filter { !$0.isEmpty }.joined(separator: " ")
  }
}
