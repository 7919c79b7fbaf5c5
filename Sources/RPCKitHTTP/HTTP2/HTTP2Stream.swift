internal import RPCKit

/// A stream as far as the library does not know it: content that waits to be sent, and how far both sides are.
///
/// A session uses the object again for a later stream, so it is asked for by its number each time.
final class HTTP2Stream {
  private(set) var id: UInt32
  /// The fields of the request.
  let request: HTTP2FieldBlock
  /// The trailers of the request, until they were taken.
  var requestTrailers: HTTP2FieldBlock?
  /// Content of the answer that has not been put into frames.
  var output: ByteBuffer {
    @inline(__always) _read { yield confinedOutput.value }
    @inline(__always) _modify { yield &confinedOutput.value }
  }
  /// Content that the answer shares with others, instead of `output`; of which what is left is sent.
  var shared: HTTPContent.Rest?
  /// The fields at the head of the answer that others have too, which the library reads until they are in a frame.
  var commonFields: CommonFields?
  /// The trailers that follow the content, if others have the same.
  var commonTrailers: CommonFields?
  /// The trailers that follow the content and only this answer has.
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

  private let confinedOutput = Confined(ByteBuffer())

  /// Content in bytes that has not been put into frames.
  var waitingByteCount: Int { output.byteCount + (shared?.byteCount ?? 0) }

  /// Bytes of memory that an answer begins with: most fit.
  static let outputCapacity = 256

  init(id: UInt32, now: MonotonicInstant) {
    self.id = id
    request = HTTP2FieldBlock(streamID: id, received: now)
    lastReceived = now
    lastSent = now
  }

  /// Becomes another stream.
  func begin(id: UInt32, now: MonotonicInstant) {
    self.id = id
    request.begin(streamID: id, received: now)
    (hasFields, hasHead) = (false, false)
    (isAnswerEnded, isDeferred, isRequestEnded) = (false, false, false)
    (lastReceived, lastSent) = (now, now)
  }

  /// Lets go of what the stream had, once it is closed and its answer was dropped.
  func end() {
    request.end()
    (requestTrailers, commonFields, commonTrailers) = (nil, nil, nil)
    if !trailers.isEmpty { trailers = HTTPFields() }
  }
}
