internal import Reflection
internal import RPCKit
package import ServiceKit
internal import TextEncodings

/// A request to a webhook: a CloudEvent in structured mode (CloudEvents 1.0, HTTP protocol binding, section 3.2),
/// signed as Standard Webhooks 1.0 say.
package struct WebhookRequest: Hashable, Sendable {
  /// `webhook-id`: the same in all attempts.
  let id: String
  /// The content; the same bytes in all attempts.
  package let body: [UInt8]

  /// The request for an event that was made elsewhere.
  package init(id: String, body: [UInt8]) { (self.id, self.body) = (id, body) }

  /// The request for an event; `schemas` is where its schema can be read, nil to name none.
  init(_ event: WebhookEvent, schemas: EventSchemaAddress?) {
    id = event.id
    var members: [(String, String)] = [
      ("specversion", "1.0"),
      ("id", event.id),
      ("source", "/gatehouse/\(event.source)"),
      ("type", "gatehouse.\(event.event.type)"),
    ]
    if !event.event.object.isEmpty { members.append(("subject", event.event.object)) }
    members += [
      ("time", InstantText.text(event.event.recordedAt)),
      ("datacontenttype", "application/json"),
    ]
    if let schemas { members.append(("dataschema", schemas.url(of: event.event.type))) }
    members += [
      // Text that sorts, as CloudEvents' extension has it (extensions/sequence.md).
      ("sequence", Self.digits(event.event.sequence)),
      ("partitionkey", event.event.object),
    ]
    body = Self.object(members, data: Self.data(of: event.event))
  }

  /// A ping, which asks for nothing but an answer.
  init(ping id: String, challenge: String, now: Int64) {
    self.id = id
    body = Self.object(
      [
        ("specversion", "1.0"), ("id", id), ("source", "/gatehouse/tenancy"),
        ("type", "gatehouse.webhook.ping"), ("time", InstantText.text(now)),
        ("datacontenttype", "application/json"),
      ],
      data: EventData(["challenge": challenge]).text
    )
  }

  /// The fields of an attempt, signed by each of the keys.
  package func fields(
    at now: Int64,
    attempt: Int64,
    isReplay: Bool,
    signers: [WebhookSigner]
  ) -> [HTTPFetch.Field] {
    let timestamp = "\(now / 1000)"
    let signed = Array("\(id).\(timestamp).".utf8) + body
    let signatures = signers.map { $0.signature(of: signed) }
    var fields = [
      HTTPFetch.Field(name: "webhook-id", value: id),
      HTTPFetch.Field(name: "webhook-timestamp", value: timestamp),
      HTTPFetch.Field(name: "webhook-signature", value: signatures.joined(separator: " ")),
      HTTPFetch.Field(name: "webhook-attempt", value: "\(attempt)"),
    ]
    if isReplay { fields.append(HTTPFetch.Field(name: "webhook-replay", value: "true")) }
    return fields
  }

  /// The media type of the content.
  package static let contentType = "application/cloudevents+json; charset=utf-8"

  private static func digits(_ number: Int64) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, 16 - text.utf8.count)) + text
  }

  /// The event's own members, and those that all have.
  private static func data(of event: Event) -> String {
    let common = EventData([
      "userId": event.userID.isEmpty ? nil : event.userID,
      "tenantId": event.scope.isEmpty ? nil : event.scope,
      "actor": event.actor.isEmpty ? nil : event.actor,
      "requestId": event.requestID.isEmpty ? nil : event.requestID,
    ]).text
    return EventData.joined(event.data, common)
  }

  private static func object(_ members: [(String, String)], data: String) -> [UInt8] {
    var bytes: [UInt8] = [UInt8(ascii: "{")]
    for (name, value) in members {
      JSONText.appendQuoted(name, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      JSONText.appendQuoted(value, to: &bytes)
      bytes.append(UInt8(ascii: ","))
    }
    return bytes + Array("\"data\":\(data)}".utf8)
  }
}
