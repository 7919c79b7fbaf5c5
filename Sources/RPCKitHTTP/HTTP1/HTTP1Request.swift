/// The head of a request and what it says of the connection.
package struct HTTP1Request: Hashable {
  /// How the end of the content is found (RFC 9112 section 6.3).
  package enum Content: Hashable {
    /// There is none.
    case none
    /// This many bytes, and at least one.
    case length(Int)
    /// In chunks, of which an empty one is the last.
    case chunked
  }

  /// Without the fields that are about the connection.
  package var head: HTTPRequestHead
  /// The content that follows the head.
  package var content: Content
  /// Whether another request may follow on the connection.
  package var isPersistent: Bool
  /// The client waits for a `100 Continue` before it sends content (RFC 9110 section 10.1.1).
  package var awaitsContinue: Bool
}
