internal import RPCKit

/// A call as the head of its request describes it, which all requests with the same head have in common.
///
/// The first exchange fills it in while it reads the head, and nothing changes it afterwards. A connection keeps that
/// of its last request, and the next one with the same head is neither routed nor read again. Loop only.
class CallReading {
  let head: HTTPRequestHead
  final var metadata = Metadata()
  /// In nanoseconds; nil for a call without a deadline.
  final var timeout: Int64?
  /// How the request is compressed.
  final var requestCoding = ContentCoding.identity

  /// The size of a head, as its limits count it, that is kept while the connection is at rest: what `RecentFields` keeps
  /// with as much again for its fields.
  private static let headByteCountMax = 2 * RecentFields.byteCountMax

  init(_ head: HTTPRequestHead) {
    self.head = head
  }

  /// Begins with what another head says that asks for the same, as far as it holds for this one; nil if that is not
  /// known.
  init?(_ head: HTTPRequestHead, like other: CallReading) {
    guard let metadata = other.metadata.withVaryingValues(of: head.fields) else { return nil }
    self.head = head
    self.metadata = metadata
    (timeout, requestCoding) = (other.timeout, other.requestCoding)
  }

  /// Whether the content is no longer than a method takes, as far as a head tells: for readings that refuse one that is.
  static func allows(_ head: HTTPRequestHead, _ method: BoundMethod) -> Bool {
    guard let length = head.fields["content-length"] else { return true }
    return Int(length).map { $0 <= method.requestByteCountMax } ?? false
  }

  /// The reading of another head that asks for the same (`HTTPRequestHead.asksLike`); nil where it has to be read.
  func reading(of head: HTTPRequestHead) -> CallReading? { nil }

  /// Makes the exchange of another request with this head; nil where it has to be found anew.
  func makeExchange(_ arrival: HTTPArrival) -> HTTPExchange? { nil }

  /// Whether it may stay while the connection is at rest.
  var mayBeKept: Bool { head.byteCount <= Self.headByteCountMax }
}
