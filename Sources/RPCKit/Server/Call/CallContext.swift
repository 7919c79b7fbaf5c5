internal import Synchronization

/// One call as its handler and the interceptors see it.
///
/// `@unchecked Sendable`: what changes is either in `shared`, behind the lock of the connection, or
/// marked *loop only* and touched only by the connection on its loop, which checks that it is there.
public final class CallContext: @unchecked Sendable {
  /// The static facts about the method.
  public var method: MethodDescriptor { boundMethod.descriptor }
  /// The allowed callers of the method; as in `method`, without copying all of it.
  public var callerClass: MethodDescriptor.CallerClass { boundMethod.descriptor.callerClass }
  /// The services that may call the method; as in `method`, without copying all of it.
  public var callingServices: [String] { boundMethod.descriptor.callingServices }
  /// The step-up that the method needs, or nil; as in `method`, without copying all of it.
  public var stepUp: String? { boundMethod.descriptor.stepUp }
  /// The metadata that the client sent beside the request.
  public var metadata: Metadata { requestMetadata }
  /// Whether the one message of the request came compressed.
  ///
  /// Those of a stream say so each: `RequestStream.AsyncIterator.isCompressed`.
  public package(set) var isRequestCompressed: Bool {
    get { requestIsCompressed }
    set { requestIsCompressed = newValue }
  }
  /// How many bytes the frame of its request has.
  private(set) var requestByteCount: Int
  /// When the call must be over; `distantFuture` without a deadline.
  ///
  /// It began with the first byte that was read of the call.
  public var deadline: MonotonicInstant { requestDeadline }
  /// When the call was read.
  public var received: MonotonicInstant { requestInstant }
  /// The peer at the other end of the connection.
  public var peer: Peer { connection.peer }
  /// For whom a proxy that is believed makes the call; nil for a call of the peer's own.
  package let forwardedClient: ForwardedClient?
  /// Where the call comes from, as it counts against shares: the proxy's client, or else the peer.
  package var source: String { forwardedClient?.source ?? connection.peer.source }

  /// The loop of the connection, which the handler's task prefers.
  public var loop: any EventLoop { connection.loop }

  /// The call that the current task serves; nil outside a handler.
  @TaskLocal public static var current: CallContext?

  package let boundMethod: BoundMethod
  package let connection: any CallConnection
  /// The wire's name of it.
  package var id: CallID { requestNumber }

  // Constants of a call, which `restart` replaces by those of the next one.
  private var requestNumber: CallID
  private var requestMetadata: Metadata
  private var requestDeadline: MonotonicInstant
  private var requestInstant: MonotonicInstant

  /// The worker that runs the handler; nil before and after.
  ///
  /// Loop only.
  var worker: HandlerWorker?
  /// The deadline's timer.
  ///
  /// Loop only.
  var timer = TimerID.none
  /// Where client messages go, for streaming requests.
  ///
  /// Loop only.
  var inbound: (any InboundMessages)?
  /// A writer that waits for credit or room.
  ///
  /// Loop only.
  var waitingWriter: WaitingWriter?
  /// How many interceptors have let the call in.
  ///
  /// Loop only.
  var enteredCount = 0
  /// The part of an interceptor that runs in the call's task before the call continues.
  ///
  /// Loop only.
  var around: Interception.Around?
  /// The call is answered, cancelled or lost; the handler may still be running.
  ///
  /// Loop only.
  var isOver = false
  /// How long the call took says something of the server: it was neither a stream, which lasts as
  /// long as its client likes, nor given up.
  ///
  /// Loop only.
  var tellsLatency = true
  /// Its place in admission control.
  ///
  /// Loop only.
  var slot = AdmissionSlot()
  /// When the answer was made, or the call was lost.
  ///
  /// Loop only.
  var ended: MonotonicInstant?
  /// The final status, known since `ended`.
  ///
  /// Loop only.
  var endCode: StatusCode?
  /// The span that a tracing interceptor keeps for this call.
  var spanObject: (any AnyObject & Sendable)?
  /// Set by the wire before the method is started, and never changed afterwards.
  var requestIsCompressed = false
  private var requestTranscoding: Transcoding?
  private var requestInflation: Inflation?
  private var requestMalformedCode = StatusCode.internal
  /// Turns each message of the request from what its wire carries into protobuf; nil where it is that already.
  ///
  /// Called when the interceptors have let the call in, on the loop or in the call's task. Set by the wire before
  /// the method is started, and never changed afterwards.
  package var transcoding: Transcoding? {
    get { requestTranscoding }
    set { requestTranscoding = newValue }
  }
  /// The inflation of the one message of the request, which came compressed and is long; nil for one that can be read.
  ///
  /// Set by the wire before the method is started, and never changed afterwards.
  package var inflation: Inflation? {
    get { requestInflation }
    set { requestInflation = newValue }
  }
  /// The code of a request that is no message at all, as the wire has it.
  ///
  /// Set by the wire before the method is started, and never changed afterwards.
  package var malformedCode: StatusCode {
    get { requestMalformedCode }
    set { requestMalformedCode = newValue }
  }

  /// Turns a message into protobuf, or throws what to answer for one that is none.
  package typealias Transcoding = @Sendable ([UInt8]) throws(RPCError) -> [UInt8]

  /// Whether the wire carries something else than protobuf.
  @usableFromInline
  var isTranscoded: Bool { requestTranscoding != nil }

  /// `inbound`, for wires of other modules.
  ///
  /// Loop only.
  package var inboundMessages: (any InboundMessages)? { inbound }
  /// Whether the call is not over.
  ///
  /// Loop only.
  package var isOpen: Bool { !isOver }
  /// When the call ended and what with; nil before.
  ///
  /// Loop only.
  package var ending: (instant: MonotonicInstant, code: StatusCode)? {
    guard let ended, let endCode else { return nil }
    return (ended, endCode)
  }
  /// The span that a tracing interceptor keeps for this call.
  ///
  /// Set in `ServerInterceptor.begin` and never changed afterwards, so whatever the call runs may read it without
  /// a lock.
  package var span: (any AnyObject & Sendable)? {
    get { spanObject }
    set { spanObject = newValue }
  }

  private struct Shared {
    var responseMetadata = Metadata()
    var responseTrailers = Metadata()
    var identity: (any AnyObject & Sendable)?
    var requestID: String?
  }

  /// Behind `connection.contextLock`: a lock of its own would cost every call two allocations.
  private var shared = Shared()
  /// Whether anything of it was ever set.
  private let isShared = Atomic<Bool>(false)
  /// Whether response metadata was ever set: most calls have none, and then the lock is not taken.
  private let mayHaveResponseMetadata = Atomic<Bool>(false)
  private let compressionChoice = Atomic<CompressionChoice>(.server)

  /// The source of the choice whether messages are compressed.
  private enum CompressionChoice: UInt8, AtomicRepresentable {
    case server
    case never
    case always
  }

  package init(
    _ method: BoundMethod,
    over connection: any CallConnection,
    _ facts: CallFacts,
    for forwardedClient: ForwardedClient? = nil
  ) {
    boundMethod = method
    self.connection = connection
    requestNumber = facts.id
    requestMetadata = facts.metadata
    requestByteCount = facts.requestByteCount
    requestDeadline = facts.deadline
    requestInstant = facts.received
    self.forwardedClient = forwardedClient
  }

  /// Lets go of everything that the call had.
  ///
  /// Loop only, for a call that is over and that nobody has.
  func clear() {
    requestMetadata = Metadata()
    (isOver, tellsLatency, timer) = (false, true, .none)
    (slot, ended, endCode) = (AdmissionSlot(), nil, nil)
    (requestIsCompressed, requestMalformedCode) = (false, .internal)
    compressionChoice.store(.server, ordering: .relaxed)
    // What is nil as a rule is looked at first: releasing nothing is a call as well.
    if spanObject != nil { spanObject = nil }
    if requestTranscoding != nil { requestTranscoding = nil }
    if requestInflation != nil { requestInflation = nil }
    guard isShared.load(ordering: .acquiring) else { return }
    shared = Shared()
    isShared.store(false, ordering: .relaxed)
    mayHaveResponseMetadata.store(false, ordering: .relaxed)
  }

  /// Whether the call is over and nothing of it is under way.
  ///
  /// Loop only.
  var isAtRest: Bool {
    isOver && slot.hasReturned && worker == nil && inbound == nil && waitingWriter == nil
      && enteredCount == 0 && around == nil
  }

  /// Becomes the context of another call of the same method.
  ///
  /// Loop only, after `clear`.
  func restart(_ facts: CallFacts) {
    requestNumber = facts.id
    requestMetadata = facts.metadata
    requestByteCount = facts.requestByteCount
    requestDeadline = facts.deadline
    requestInstant = facts.received
  }

  /// Sent beside the response or the error; before the first message of a stream if it is set by then.
  ///
  /// Only clients that speak our extensions receive it.
  public var responseMetadata: Metadata {
    get { connection.contextLock.withLock { _ in shared.responseMetadata } }
    set {
      connection.contextLock.withLock { _ in shared.responseMetadata = newValue }
      isShared.store(true, ordering: .releasing)
      mayHaveResponseMetadata.store(true, ordering: .releasing)
    }
  }

  /// Sent behind the response, or beside the error, where a wire tells the two places apart as gRPC does; elsewhere
  /// with `responseMetadata`.
  public var responseTrailers: Metadata {
    get { connection.contextLock.withLock { _ in shared.responseTrailers } }
    set {
      connection.contextLock.withLock { _ in shared.responseTrailers = newValue }
      isShared.store(true, ordering: .releasing)
      mayHaveResponseMetadata.store(true, ordering: .releasing)
    }
  }

  /// Whether the messages that are sent from now on are compressed; nil, as it is at first, leaves it to
  /// `ServerConfiguration.compressesResponses`.
  ///
  /// A handler that streams may change it before each message. True compresses only what the client can read,
  /// has 1,024 bytes or more, and shrinks. Over gRPC and streaming Connect the head of the answer has to say that
  /// messages may be compressed, and goes out with the first: a handler that leaves the choice to the server
  /// until then, which does not compress, cannot compress later messages. Answers of REST are never compressed.
  public var compressesResponses: Bool? {
    get {
      switch compressionChoice.load(ordering: .relaxed) {
      case .server: nil
      case .never: false
      case .always: true
      }
    }
    set {
      let choice = newValue.map { $0 ? CompressionChoice.always : .never } ?? .server
      compressionChoice.store(choice, ordering: .relaxed)
    }
  }

  /// The metadata to send beside the answer, by wires that have one place for it.
  package var metadataToSend: Metadata {
    guard mayHaveResponseMetadata.load(ordering: .acquiring) else { return [:] }
    let (head, trailers) = metadataByPlace
    guard !trailers.isEmpty else { return head }
    var all = head
    for entry in trailers.entries { all.append(entry.key, entry.value) }
    return all
  }

  /// The metadata to send before and behind the answer.
  package var metadataByPlace: (head: Metadata, trailers: Metadata) {
    guard mayHaveResponseMetadata.load(ordering: .acquiring) else { return ([:], [:]) }
    return connection.contextLock.withLock { _ in
      (shared.responseMetadata, shared.responseTrailers)
    }
  }

  /// The caller's identity, as an authenticating interceptor found out; for the handler to read.
  ///
  /// An object, because each call sets it and reads it: a cast to a class is a comparison.
  public var identity: (any AnyObject & Sendable)? {
    get { connection.contextLock.withLock { _ in shared.identity } }
    set {
      connection.contextLock.withLock { _ in shared.identity = newValue }
      isShared.store(true, ordering: .releasing)
    }
  }

  /// Ends the call with an error before its handler does, which is cancelled; a call that is over stays as
  /// it ended.
  ///
  /// Callable from anywhere; done on the loop of the connection.
  package func end(_ error: RPCError) {
    loop.execute { [self] in fail(error) }
  }

  /// The identifier of this request in logs and records: what `make` gave when it was asked first.
  package func requestID(_ make: () -> String) -> String {
    if let known = connection.contextLock.withLock({ _ in shared.requestID }) { return known }
    let made = make()
    isShared.store(true, ordering: .releasing)
    return connection.contextLock.withLock { _ in
      let known = shared.requestID ?? made
      shared.requestID = known
      return known
    }
  }

  /// Time left until the deadline; nil without one, never below zero.
  public var timeRemaining: Duration? {
    guard deadline != .distantFuture else { return nil }
    return .nanoseconds(max(0, connection.loop.now.nanoseconds(to: deadline)))
  }
}

/// Client messages on their way to a handler, with the message type erased.
///
/// Loop only.
package protocol InboundMessages: AnyObject {
  /// Decodes one message and queues it; an error ends the call.
  ///
  /// `cost` is what it took from the stream's window, which may differ from its size: it may have
  /// been deflated, and its header counts too. `isCompressed` says how it came; `bytes` are as they were before,
  /// unless there is an `inflation`.
  func receive(
    _ bytes: Span<UInt8>,
    cost: Int,
    isCompressed: Bool,
    inflation: Inflation?
  ) -> RPCError?

  /// Queues the end of the client's messages, or the failure that ends the call. Returns the cost of
  /// queued messages that a failure dropped.
  @discardableResult
  func finish(_ error: (any Error)?) -> Int

  /// Cost of the messages that the handler has not taken.
  var waitingByteCount: Int { get }
}
