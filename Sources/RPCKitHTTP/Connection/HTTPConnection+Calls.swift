package import RPCKit

extension HTTPConnection {
  /// Begins the call that a request makes, or refuses it by `exchange.fail`; nil when it was refused.
  ///
  /// Every wire and every way to put a call into a request comes by here, so that what one refuses all refuse:
  /// draining, too many calls, unread answers, a deadline that has passed, too much metadata, load, and what
  /// interceptors say. After it the method is started with `start(_:_:hasPayload:)`, or the call is ended
  /// with `CallContext.reject`.
  ///
  /// `timeout` is in nanoseconds and counts from the first byte of the request; nil is none.
  func beginCall(
    of method: BoundMethod,
    for exchange: HTTPExchange,
    metadata: Metadata,
    timeout: Int64?,
    requestByteCount: Int
  ) -> CallContext? {
    let deadline =
      timeout.map { exchange.received.advanced(byNanoseconds: $0) } ?? .distantFuture
    let client =
      isTrustedProxy
      ? configuration.trustedProxies.client(of: exchange.head.fields, through: remotePeer) : nil
    if let refusal = refusal(method, client, metadata, deadline, requestByteCount) {
      core.observer.refused(method, refusal.code)
      exchange.fail(refused(refusal.error, metadata), Metadata())
      return nil
    }
    let now = loop.now
    lastCall = now
    let facts = CallFacts(
      id: CallID(rawValue: exchange.id),
      metadata: metadata,
      requestByteCount: requestByteCount,
      deadline: deadline,
      received: now
    )
    let call = makeCall(of: method, over: self, facts, for: client)
    exchange.call = call
    calls.set(exchange.id, exchange)
    return call.begin() ? call : nil
  }

  /// Starts the method of a call that was begun with its first message, or with none.
  ///
  /// The message is as the client wrote it, and `CallContext.transcoding` what makes protobuf of it: only a caller
  /// who is let in learns what a message may contain.
  ///
  /// Ends the call when the message cannot be read, with the code `malformed` if it is no message at all.
  func start(
    _ call: CallContext,
    _ payload: Span<UInt8>,
    hasPayload: Bool,
    malformed: StatusCode = .internal
  ) {
    if hasPayload { core.observer.receivedMessage(call) }
    call.malformedCode = malformed
    guard let error = call.boundMethod.start(payload, hasPayload, call) else { return }
    call.reject(error)
  }

  /// The method that a path names: `/tenancy.v1.Permissions/Check`; otherwise the error that says what is
  /// unknown.
  func method(at path: String) -> Result<BoundMethod, RPCError> {
    let bytes = path.utf8.span
    guard bytes.count > 0, bytes[0] == UInt8(ascii: "/"),
      let slash = bytes.indices.last(where: { bytes[$0] == UInt8(ascii: "/") }), slash > 0
    else {
      core.observer.unknownMethod()
      return .failure(
        RPCError(.unimplemented, .serviceUnknown, "no service is at \(path.prefix(256))")
      )
    }
    switch core.methods.find(bytes, service: 1..<slash, method: (slash + 1)..<bytes.count) {
    case .found(let method): return .success(method)
    case .unknownService:
      core.observer.unknownMethod()
      return .failure(.unknownService(Self.name(in: path, 1..<slash)))
    case .unknownMethod:
      core.observer.unknownMethod()
      let method = Self.name(in: path, (slash + 1)..<bytes.count)
      return .failure(.unknownMethod(method, of: Self.name(in: path, 1..<slash)))
    }
  }

  /// A part of a path, as long as an error may repeat it.
  private static func name(in path: String, _ part: Range<Int>) -> String {
    String(Substring(path.utf8.dropFirst(part.lowerBound).prefix(min(part.count, 256))))
  }

  /// Why a call is not begun; the cheapest test comes first, as under overload this is the hot path.
  private func refusal(
    _ method: BoundMethod,
    _ client: ForwardedClient?,
    _ metadata: Metadata,
    _ deadline: MonotonicInstant,
    _ requestByteCount: Int
  ) -> RefusalFrame? {
    guard phase == .serving else { return core.refusals.draining }
    // Handlers and not calls: a client that gives calls up as fast as it makes them gets no more of them.
    guard runningHandlerCount < configuration.limits.streamCountMax else {
      core.observer.limitReached(.streamsPerConnection)
      core.shed(method, .callsPerConnection)
      return core.refusals.tooManyStreams
    }
    guard hasRoomForAnswers else {
      core.observer.limitReached(.outputRoom, source: source)
      return core.refusals.answersUnread
    }
    // A turn may take longer than the caller waits, so the time of its beginning is not enough.
    guard deadline == .distantFuture || deadline > loop.preciseNow else {
      return core.refusals.expired
    }
    guard metadata.count <= limits.metadataCountMax,
      byteCount(metadata) <= limits.metadataByteCountMax
    else {
      core.observer.limitReached(.metadata)
      return core.refusals.tooMuchMetadata
    }
    return admit(method, for: client, requestByteCount: requestByteCount)
  }

  /// An error of a call that is not begun, with what there is to say about its metadata.
  func refused(_ error: RPCError, _ metadata: Metadata) -> RPCError {
    guard let details = core.configuration.refusalDetails, !metadata.isEmpty,
      metadata.count <= limits.metadataCountMax
    else { return error }
    var error = error
    error.details += details(metadata)
    return error
  }

  private func byteCount(_ metadata: Metadata) -> Int {
    metadata.entries.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
  }
}

// MARK: - What calls ask of their wire

extension HTTPConnection: CallWire {
  package func forget(_ call: CallContext) -> Bool {
    calls.remove(call.id.rawValue) != nil
  }

  package func respond(to call: CallContext, _ append: MessageAppending) throws(RPCError) {
    try exchange(of: call)?.respond(append)
  }

  package func encoding(for call: CallContext) -> AnswerEncoding {
    exchange(of: call)?.answerEncoding ?? AnswerEncoding()
  }

  package func respond(to call: CallContext, _ message: EncodedMessage) throws(RPCError) {
    try exchange(of: call)?.respond(message)
  }

  package func send(for call: CallContext, _ message: EncodedMessage) throws(RPCError) {
    try exchange(of: call)?.send(message)
  }

  package func endResponses(of call: CallContext) {
    exchange(of: call)?.endResponses()
  }

  package func fail(_ call: CallContext, _ error: RPCError, _ metadata: Metadata) {
    exchange(of: call)?.fail(error.bounded(limits), metadata)
  }

  package func send(for call: CallContext, _ append: MessageAppending) throws(RPCError) {
    try exchange(of: call)?.send(append)
  }

  package func maySend(_ call: CallContext) -> Bool {
    exchange(of: call).map(maySendBody) ?? true
  }

  package func writerWaits(_ call: CallContext) {
    // `becameWritable` then goes to every exchange that has a call, so there is no list to keep.
    hasWaitingWriters = true
  }

  package func consumed(_ cost: Int, of call: CallContext) {
    exchange(of: call)?.consumed(cost)
  }

  package func inflatedElsewhere(_ byteCount: Int, of call: CallContext) {
    // Room is counted in bytes as they came.
  }

  package func dropped(_ cost: Int) {
    // Room that a call leaves unused ends with its stream; the connection's own room is given back as bytes arrive.
  }

  /// The exchange stays in the connection's table until its answer has gone out, which is after its call is over.
  private func exchange(of call: CallContext) -> HTTPExchange? {
    exchanges[call.id.rawValue]
  }
}
