/// A text that a service shows to anybody who asks by HTTP, beside its calls.
public struct ServedDocument: Sendable {
  /// Where it is, beginning with a slash.
  public let path: String
  /// Its media type: `application/json`.
  public let contentType: String
  /// Seconds for which it may be kept without asking again.
  public let ageMax: Int
  /// Its content now; asked for on an event loop, so it looks and does not wait.
  public let content: @Sendable () -> String

  /// Makes a document.
  public init(
    path: String,
    contentType: String = "application/json",
    ageMax: Int = 300,
    content: @escaping @Sendable () -> String
  ) {
    self.path = path
    self.contentType = contentType
    self.ageMax = ageMax
    self.content = content
  }
}
