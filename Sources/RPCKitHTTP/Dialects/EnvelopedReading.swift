internal import RPCKit

/// A call whose messages stand in envelopes, as its head describes it.
class EnvelopedReading: CallReading {
  /// Nil until the whole head was read and found good.
  final var method: BoundMethod?
  final var codec = MessageCodec.protobuf
}
