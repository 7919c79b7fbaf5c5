internal import ServiceKit
internal import StrictJSON

/// Where the JSON Schemas of events can be read.
struct EventSchemaAddress: Hashable, Sendable {
  private static let path = "/schemas/events/"

  /// The address of the service, or of the gateway before it, without a slash at the end.
  let base: String

  init(base: String) { self.base = base }

  /// Reads a setting: `https://host` or `http://host`, with a path or none.
  init(_ field: JSONField) throws(JSONDecodingError) {
    let text = try field.nonEmptyString()
    guard HTTPFetch.isURL(text, allowsPlaintext: true), !text.contains("?") else {
      throw field.error("must be an address like https://api.example.com")
    }
    base = text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  /// The address of the schema of `data` in events of a type: its `dataschema` (CloudEvents 1.0, section 3.1.2).
  func url(of type: String) -> String { base + Self.path(of: type) }

  static func path(of type: String) -> String { "\(path)\(type).v1.json" }
}

extension EventSchemas {
  /// The schemas as documents that anybody may read.
  static var documents: [ServedDocument] {
    all.map { schema in
      ServedDocument(
        path: EventSchemaAddress.path(of: schema.type),
        contentType: "application/schema+json"
      ) { schema.json.description }
    }
  }
}
