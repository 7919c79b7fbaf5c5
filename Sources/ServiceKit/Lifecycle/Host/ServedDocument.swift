/// A text that a service shows to anybody who asks by HTTP, beside its calls.
public struct ServedDocument: Sendable {
  /// Where it is, beginning with a slash.
  public let path: String
  /// Its media type: `application/json`.
  public let contentType: String
  /// How long it may be kept without asking again (RFC 9111 section 5.2).
  public let cacheControl: String
  /// Header fields that its answers have besides.
  public let fields: [(name: String, value: String)]
  /// Its content now; asked for on an event loop, so it looks and does not wait.
  public let content: @Sendable () -> String

  /// Makes a document.
  public init(
    path: String,
    contentType: String = "application/json",
    cacheControl: String = "public, max-age=300",
    fields: [(name: String, value: String)] = [],
    content: @escaping @Sendable () -> String
  ) {
    self.path = path
    self.contentType = contentType
    self.cacheControl = cacheControl
    self.fields = fields
    self.content = content
  }
}
