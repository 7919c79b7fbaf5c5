/// A message of a stream with what its wire said of it.
struct ReceivedMessage<Content: Sendable>: Sendable {
  var content: Content
  /// Whether it came compressed.
  var isCompressed: Bool
}
