internal import RPCKit

/// News for other systems: what happened to an object, by whom and in which request.
///
/// Written in the transaction of the change, beside its audit record, so that there is neither an event without a
/// change nor a change without its event. Has identifiers, words of the product and instants; never what people
/// wrote, because receivers may not read it (docs/decisions/0227).
public struct Event: Hashable, Sendable {
  /// Its place among the events of its store; later ones have greater numbers, with gaps.
  public var sequence: Int64
  /// When it was written, in milliseconds since 1970.
  public var recordedAt: Int64
  /// The kind of event, without what all have in front: `role.granted`.
  public var type: String
  /// The identifier of what it happened to.
  public var object: String
  /// The tenant that it belongs to: the root of the object's tree; empty for what belongs to none.
  public var scope: String
  /// The person it is about, whose erasure takes it along; empty for none.
  public var userID: String
  /// The acting user or service, as in the audit log: `user:usr_…`, `svc://auth`.
  public var actor: String
  /// The request in which it happened, as in log lines.
  public var requestID: String
  /// Further members, a JSON object.
  public var data: String

  /// Makes an event.
  public init(
    sequence: Int64 = 0,
    recordedAt: Int64,
    type: String,
    object: String,
    scope: String,
    userID: String,
    actor: String,
    requestID: String,
    data: String
  ) {
    self.sequence = sequence
    self.recordedAt = recordedAt
    self.type = type
    self.object = object
    self.scope = scope
    self.userID = userID
    self.actor = actor
    self.requestID = requestID
    self.data = data
  }

  /// The table `event`.
  static let columns = RecordColumns<Event>(
    "event",
    .generated("sequence", \.sequence),
    .integer("recorded_at", \.recordedAt),
    .text("type", \.type),
    .text("object", \.object),
    .text("scope", \.scope),
    .text("user_id", \.userID),
    .text("actor", \.actor),
    .text("request_id", \.requestID),
    .text("data", \.data)
  ) { row in
    Event(
      sequence: row.integer(),
      recordedAt: row.integer(),
      type: row.text(),
      object: row.text(),
      scope: row.text(),
      userID: row.text(),
      actor: row.text(),
      requestID: row.text(),
      data: row.text()
    )
  }
}

/// The members that an event has of its own.
public struct EventData: Sendable {
  /// A JSON object.
  public let text: String

  /// Makes them, in the order given; those without a value are left out.
  public init(_ members: KeyValuePairs<String, String?>) {
    var bytes: [UInt8] = [UInt8(ascii: "{")]
    for (name, value) in members {
      guard let value else { continue }
      if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
      JSONText.appendQuoted(name, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      JSONText.appendQuoted(value, to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// Two JSON objects as one.
  public static func joined(_ first: String, _ second: String) -> String {
    let (first, second) = (first.dropFirst().dropLast(), second.dropFirst().dropLast())
    return "{\(first)\(first.isEmpty || second.isEmpty ? "" : ",")\(second)}"
  }
}
