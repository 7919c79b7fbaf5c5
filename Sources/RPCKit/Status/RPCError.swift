/// The outcome of one call that did not succeed: what travels as `google.rpc.Status`.
public struct RPCError: Error, Sendable {
  /// One entry of `google.rpc.Status.details`: a `google.protobuf.Any`.
  public struct Detail: Hashable, Sendable {
    /// For example `type.googleapis.com/google.rpc.ErrorInfo`.
    public var typeURL: String
    /// The encoded message that `typeURL` names.
    public var value: [UInt8]

    /// Makes a detail of an already encoded message.
    public init(typeURL: String, value: [UInt8]) {
      self.typeURL = typeURL
      self.value = value
    }
  }

  /// Why the call failed.
  public var code: StatusCode
  /// A sentence for the developer who reads it; it goes to the peer, so nothing internal.
  public var message: String
  /// Machine-readable details for the peer.
  public var details: [Detail]
  /// The metadata that the server sent beside the status (only from peers that speak our extensions).
  public var metadata: Metadata
  /// The server did not start to process the call, so any method may be sent again.
  public var isNotProcessed: Bool
  /// The error is the outcome of a call that this process made.
  ///
  /// Then `isNotProcessed` is about that call. A handler that throws the error on has run, so the
  /// server does not repeat the claim to its own client.
  var isOutcomeOfCall = false
  /// The error is the outcome of a call that had the deadline of the call being served, which passed.
  var isOutcomeOfCallersDeadline = false
  /// The local cause.
  ///
  /// Stays on this side: never serialised.
  public var cause: (any Error)?

  /// Makes an error from what the peer should see.
  public init(
    _ code: StatusCode,
    _ message: String,
    details: [Detail] = [],
    metadata: Metadata = [:],
    isNotProcessed: Bool = false,
    cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.details = details
    self.metadata = metadata
    self.isNotProcessed = isNotProcessed
    self.cause = cause
  }

  /// The outcome of a call that surely never reached a handler.
  static func notSent(_ message: String, cause: (any Error)? = nil) -> RPCError {
    var error = RPCError(.unavailable, message, isNotProcessed: true, cause: cause)
    error.isOutcomeOfCall = true
    return error
  }
}

extension RPCError {
  /// Whether this, or what it was made of, says that the time of the call being served ran out.
  var isOutOfCallersTime: Bool {
    isOutcomeOfCallersDeadline || (cause as? RPCError)?.isOutOfCallersTime == true
  }
}

extension RPCError: CustomStringConvertible {
  /// `NOT_FOUND: no such portfolio`.
  public var description: String { "\(code): \(message)" }
}
