/// An event that a session found in the bytes of a client, or the result of bytes to send.
///
/// Kept until the turn's bytes are read: a stream that is opened and reset within them is never begun.
enum HTTP2Event {
  /// A request was opened: its stream has the fields.
  case head(UInt32)
  /// Content arrived, `count` bytes from `offset` of what was read.
  case content(UInt32, offset: Int, count: Int)
  /// A request has ended, with the trailers that its stream has, if there are some.
  case end(UInt32)
  /// The client resets a stream that has not been answered; `closed` follows.
  case reset(UInt32)
  /// An answer is in the output, all of it.
  case answered(UInt32)
  /// The head or the trailers of an answer are too large for the library to send.
  case unsendable(UInt32)
  /// A stream is closed in both directions.
  case closed(UInt32)
  /// The client answers our PING.
  case pong
}
