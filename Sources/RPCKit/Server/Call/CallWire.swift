/// The connection as a call sees it: the seam between handlers and a wire.
///
/// Handlers, interceptors, deadlines, admission and metrics know calls only by `CallContext`, which knows its
/// wire only by this. Whatever conforms serves the same handlers: frames of ttrpc (`ServerConnection`), or
/// another protocol. A timer of the loop whose token is a call's number is that call's deadline, and the
/// wire passes it on with `CallContext.deadlinePassed`.
///
/// All members are loop only. None of them ends the call or resumes its handler from inside.
package protocol CallWire: TimerTarget {
  /// Takes a call off the wire's table: what the client still sends for it is late from now on.
  ///
  /// False when it is no longer there.
  func forget(_ call: CallContext) -> Bool

  /// Sends the one response of a call, with its `metadataToSend` as far as the wire carries that.
  ///
  /// Throws what to answer instead when the response is too large for the wire.
  func respond(to call: CallContext, _ append: MessageAppending) throws(RPCError)

  /// The wire's form of a response before it is sent, as the call has it now.
  func encoding(for call: CallContext) -> AnswerEncoding

  /// As the other `respond`, for a response that was encoded elsewhere.
  func respond(to call: CallContext, _ message: EncodedMessage) throws(RPCError)

  /// Ends a stream of responses with OK, with the call's `metadataToSend`.
  func endResponses(of call: CallContext)

  /// Sends the error that a call ends with, and `metadata` beside what the error has.
  func fail(_ call: CallContext, _ error: RPCError, _ metadata: Metadata)

  /// Sends one message of a stream of responses.
  ///
  /// Throws when it is too large for the wire; the stream continues without it.
  func send(for call: CallContext, _ append: MessageAppending) throws(RPCError)

  /// As the other `send`, for a message that was encoded elsewhere.
  func send(for call: CallContext, _ message: EncodedMessage) throws(RPCError)

  /// Whether a message of a stream may be sent now: the client has room for it, and so has the output.
  func maySend(_ call: CallContext) -> Bool

  /// A writer waits until `maySend`: the wire calls `CallContext.wakeWriter` when that may have changed.
  func writerWaits(_ call: CallContext)

  /// The handler took a message of a stream of requests that had cost this much.
  func consumed(_ cost: Int, of call: CallContext)

  /// A message of a stream of requests, which the handler takes, was so many bytes longer than it came.
  func inflatedElsewhere(_ byteCount: Int, of call: CallContext)

  /// Messages that had cost this much will not be taken by the handler of a call, which has ended.
  func dropped(_ cost: Int)
}

/// A connection as its calls see it.
package typealias CallConnection = CallHost & CallWire

/// Tells the calls of one connection apart.
///
/// What the number means is the wire's business.
package struct CallID: Hashable, Sendable {
  package var rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }
}
