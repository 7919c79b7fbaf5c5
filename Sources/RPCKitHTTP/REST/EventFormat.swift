internal import Reflection
internal import StrictJSON

/// How messages of a stream are written as server-sent events
/// (https://html.spec.whatwg.org/multipage/server-sent-events.html).
///
/// The type of an event is the name of its message's kind, its id the token after which the stream goes on, and its
/// data the message.
struct EventFormat: Sendable {
  static let contentType = "text/event-stream"

  /// The field of the request that takes the id of the last event.
  let token: FieldSchema
  /// The field of a message that is its id.
  private let id: FieldSchema
  /// The field of a message that is its type.
  private let kind: FieldSchema
  /// The beginning of the names of kinds: `APP_EVENT_KIND_`.
  private let prefix: String

  /// Nil for messages without a kind or a token, which the generator refuses.
  init?(_ request: MessageSchema, _ response: MessageSchema) {
    let name = "resume_token"
    guard let token = request.fields.first(where: { $0.name == name }),
      let id = response.fields.first(where: { $0.name == name }),
      let kind = response.fields.first(where: { $0.name == "kind" })
    else { return nil }
    (self.token, self.id, self.kind) = (token, id, kind)
    prefix = Self.prefix(ofEnum: kind.typeName)
  }

  /// `APP_EVENT_KIND_` of `tenancy.v1.AppEventKind`.
  private static func prefix(ofEnum name: String) -> String {
    var prefix = ""
    for character in name.split(separator: ".").last ?? "" {
      if character.isUppercase, !prefix.isEmpty { prefix += "_" }
      prefix += character.uppercased()
    }
    return prefix + "_"
  }

  /// The pause before a client opens a stream again that was cut off, and the end of that part.
  static let beginning = Array("retry: 3000\n".utf8)

  /// A message as an event, but for the line feed that ends it.
  func event(_ message: JSONValue) -> [UInt8] {
    let members = message.object
    // A kind that the contract does not have is a number.
    let name = members?[kind.jsonName]?.string ?? "message"
    let type = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.utf8.count)) : name
    return Self.event(type.lowercased(), message, id: members?[id.jsonName]?.string ?? "")
  }

  /// An event, but for the line feed that ends it.
  ///
  /// An id would also end at a line feed, so one with any is left out; JSON has none in its texts.
  static func event(_ type: String, _ data: JSONValue, id: String = "") -> [UInt8] {
    let isID = !id.isEmpty && id.utf8.allSatisfy { $0 > 0x1F }
    let head = (isID ? "id: \(id)\n" : "") + "event: \(type)\ndata: "
    return Array(head.utf8) + data.bytes + [UInt8(ascii: "\n")]
  }
}

extension HTTPFields {
  /// Whether a client names a media type among those that it accepts (RFC 9110 section 12.5.1).
  func accepts(_ type: String) -> Bool {
    values("accept").contains { value in
      value.split(separator: ",").contains { range in
        let name = range.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
        return name.lowercased() == type
      }
    }
  }
}
