internal import RPCKit

/// A stream as far as the library does not know it: content that waits to be sent, and how far both sides are.
final class HTTP2Stream {
  let id: UInt32
  /// Content of the answer that has not been put into frames.
  var output = ByteBuffer()
  /// Content that the answer shares with others, instead of `output`; of which what is left is sent.
  var shared: HTTPContent.Rest?
  /// The trailers that follow the content.
  var trailers = HTTPFields()
  /// The fields of the request were read: what follows are trailers.
  var hasFields = false
  /// The head of the answer was given to the library.
  var hasHead = false
  /// Nothing is added to the answer.
  var isAnswerEnded = false
  /// The library knows that there is nothing to send for now.
  var isDeferred = false
  /// The client has ended the request.
  var isRequestEnded = false
  /// When the client last sent content.
  var lastReceived: MonotonicInstant
  /// When content of the answer last went into a frame, or began to wait.
  var lastSent: MonotonicInstant

  /// Content in bytes that has not been put into frames.
  var waitingByteCount: Int { output.byteCount + (shared?.byteCount ?? 0) }

  /// Bytes of memory that an answer begins with: most fit.
  static let outputCapacity = 256

  init(id: UInt32, now: MonotonicInstant) {
    self.id = id
    lastReceived = now
    lastSent = now
  }
}
