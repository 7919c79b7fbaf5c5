/// The head of a request and what it says of the connection.
struct HTTP1Request: Hashable {
  /// How the end of the content is found (RFC 9112 section 6.3).
  enum Content: Hashable {
    case none
    /// This many bytes, and at least one.
    case length(Int)
    case chunked
  }

  /// Without the fields that are about the connection.
  var head: HTTPRequestHead
  var content: Content
  /// Whether another request may follow on the connection.
  var isPersistent: Bool
  /// The client waits for a `100 Continue` before it sends content (RFC 9110 section 10.1.1).
  var awaitsContinue: Bool
}
