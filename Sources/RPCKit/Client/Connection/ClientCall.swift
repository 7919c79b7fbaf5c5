/// One call of a task, as its connection sees it.
///
/// Subclasses know what to do with the answer.
///
/// `@unchecked Sendable`: what `init` sets never changes; `payload` is written before the call is handed to the
/// connection. `phase` and what subclasses add is touched only on the loop of the connection that the call was
/// given to, which the connection checks.
class ClientCall: @unchecked Sendable {
  /// How far the call has come.
  ///
  /// Loop only.
  enum Phase: Equatable {
    /// Not given to the connection yet.
    ///
    /// Next: `open`, `withdrawn`, `ended`.
    case new
    /// The caller gave up before the call came to the connection, which the loop can learn first:
    /// the two come from different threads.
    ///
    /// Next: `ended`, when the call comes.
    case withdrawn
    /// The request is on its way.
    ///
    /// Next: `ended`.
    case open(StreamID)
    /// Terminal: the caller has its outcome.
    case ended
  }

  let service: String
  let method: String
  let kind: MethodDescriptor.Kind
  /// `distantFuture` is none.
  let deadline: MonotonicInstant
  let metadata: Metadata
  /// Deflates what the call sends if the server can inflate and it shrinks.
  let compressesRequest: Bool
  /// Loop only.
  final var phase = Phase.new
  /// The encoded request, when it was encoded ahead.
  private final var payload = ByteBuffer()

  init(_ method: MethodDescriptor, _ plan: CallPlan) {
    service = method.service
    self.method = method.method
    kind = method.kind
    deadline = plan.deadline
    metadata = plan.metadata
    compressesRequest = plan.compressesRequest
  }

  /// The number of the call while it is open.
  ///
  /// Loop only.
  final var streamID: StreamID? {
    guard case .open(let id) = phase else { return nil }
    return id
  }

  /// The server ended the call with a Response frame.
  ///
  /// Loop only; the last thing it hears.
  func receiveResponse(
    _ envelope: ResponseEnvelope,
    _ bytes: Span<UInt8>,
    in range: Range<Int>,
    limits: Limits
  ) { preconditionFailure("a call must take its response") }

  /// A message of the server's stream arrived.
  ///
  /// Returns an error if it cannot be decoded.
  func receiveMessage(
    _ bytes: Span<UInt8>,
    isCompressed: Bool,
    limits: Limits
  ) -> RPCError? {
    preconditionFailure("only streams take messages")
  }

  /// The server ended its stream with OK.
  ///
  /// Loop only; the last thing it hears.
  func receiveEnd() { preconditionFailure("only streams take an end") }

  /// The call failed on this side.
  ///
  /// Loop only; the last thing it hears.
  func fail(_ error: RPCError) { preconditionFailure("a call must take its failure") }

  /// Bytes of received messages that the caller has not taken.
  ///
  /// Loop only.
  var unconsumedByteCount: Int { 0 }

  /// There may be credit or room for another message.
  ///
  /// Loop only.
  func becameWritable() {}

  /// Encodes the request ahead, on the caller's thread and before the call is given to the connection.
  final func encode(_ request: some Message) {
    request.append(to: &payload) { _, _ in }
  }

  /// Appends the request of a call that was handed over from another thread.
  ///
  /// Loop only.
  final func appendPayload(
    to output: inout ByteBuffer,
    prefix: (inout ByteBuffer, _ byteCount: Int) -> Void
  ) {
    prefix(&output, payload.byteCount)
    payload.withBytes { output.append($0) }
    payload.release()
  }
}

extension RPCError {
  /// A peer sent bytes that are not what they should be.
  static func undecodable(_ what: String, _ cause: any Error) -> RPCError {
    RPCError(.internal, "the server's \(what) cannot be decoded", cause: cause)
  }

  static var deadlineExceeded: RPCError {
    RPCError(.deadlineExceeded, "the deadline passed before the call completed")
  }

  static var cancelledByCaller: RPCError {
    RPCError(.cancelled, "the call was cancelled by its caller")
  }
}
