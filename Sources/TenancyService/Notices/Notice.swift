internal import Reflection
internal import ServiceKit
internal import StrictJSON

/// A notice that a person gets by mail.
struct Notice: Hashable, Sendable {
  /// The news in it.
  enum Content: Hashable, Sendable {
    case accessGiven(AccessedObject)
    case accessEnded(AccessedObject)
    case webhookFailing(host: String)
    case webhookPaused(host: String, why: WebhookRecord.PauseReason)
  }

  /// The object of a role, as a mail names it.
  struct AccessedObject: Hashable, Sendable {
    let role: String
    let entityID: String
    let type: String
    var name = ""
    var parentName = ""
  }

  /// Tells notices apart.
  let id: String
  let userID: String
  /// In milliseconds since 1970.
  let happenedAt: Int64
  var content: Content

  /// The notice that an event makes; nil for one that makes none.
  init?(_ event: Event, _ settings: NoticeSettings) {
    guard !event.userID.isEmpty, let content = Self.content(of: event, settings) else {
      return nil
    }
    id = "ntc_\(event.recordedAt)_\(event.sequence)"
    userID = event.userID
    self.content = content
    happenedAt =
      event.type == "webhook.failing"
      ? event.member("since").flatMap(InstantText.milliseconds) ?? event.recordedAt
      : event.recordedAt
  }

  private static func content(of event: Event, _ settings: NoticeSettings) -> Content? {
    switch event.type {
    case "role.granted" where settings.access && event.isByAnotherPerson:
      event.accessed.map { .accessGiven($0) }
    case "role.ended" where settings.access && event.isByAnotherPerson:
      event.accessed.map { .accessEnded($0) }
    case "webhook.failing" where settings.webhooks:
      event.member("host").map { .webhookFailing(host: $0) }
    case "webhook.paused" where settings.webhooks:
      event.member("host").map {
        .webhookPaused(host: $0, why: .init(rawValue: event.member("why") ?? "") ?? .failing)
      }
    default: nil
    }
  }
}

extension Event {
  /// Whether a user did it to somebody else.
  fileprivate var isByAnotherPerson: Bool {
    actor.hasPrefix("user:") && actor != "user:\(userID)"
  }

  fileprivate var accessed: Notice.AccessedObject? {
    guard let role = member("role"), let entityID = member("entityId"),
      let type = member("entityType")
    else { return nil }
    return .init(role: role, entityID: entityID, type: type)
  }

  /// A text among the members that the event has of its own.
  fileprivate func member(_ name: String) -> String? {
    let limits = JSONLimits(byteCountMax: 16 * 1024, depthMax: 4)
    return (try? JSONReader.read(Array(data.utf8), limits: limits))?.object?[name]?.string
  }
}
