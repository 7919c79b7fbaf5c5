internal import RPCKit

/// A call whose messages stand in envelopes, as its head describes it.
class EnvelopedReading: CallReading {
  /// Nil until the whole head was read and found good.
  final var method: BoundMethod?
  final var codec = MessageCodec.protobuf

  override init(_ head: HTTPRequestHead) { super.init(head) }

  /// Begins with what another head says that asks for the same.
  init?(_ head: HTTPRequestHead, like other: EnvelopedReading) {
    (method, codec) = (other.method, other.codec)
    super.init(head, like: other)
  }
}
