/// The messages of one streaming response, in order.
///
/// Iterated once. Leaving the loop early or cancelling the task cancels the call. The call begins
/// with the first `next`.
public struct ResponseStream<Response: Message>: AsyncSequence, Sendable {
  /// A message.
  public typealias Element = Response

  /// Opens the call and reads its first message.
  typealias Opening =
    @Sendable () async throws -> (OpenResponseStream<Response>, ReceivedMessage<Response>?)

  private let source: ResponseStreamSource<Response>

  init(_ source: ResponseStreamSource<Response>) {
    self.source = source
  }

  /// Iterates.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private enum State {
      case unopened(Opening)
      case open(OpenResponseStream<Response>)
      case over
    }

    private var state: State
    /// Whether the message that `next` gave last came compressed; false before the first.
    public private(set) var isCompressed = false

    fileprivate init(_ source: ResponseStreamSource<Response>) {
      switch source.take() {
      case .lazy(let opening): state = .unopened(opening)
      case .open(let stream): state = .open(stream)
      }
    }

    /// The next message, or nil after the server ended with OK.
    ///
    /// Throws `RPCError`; after that the call is over.
    public mutating func next() async throws -> Response? {
      do {
        let received: ReceivedMessage<Response>?
        switch state {
        case .unopened(let opening):
          state = .over
          let (stream, first) = try await opening()
          received = first
          state = .open(stream)
        case .open(let stream):
          received = try await stream.next().get()
        case .over:
          return nil
        }
        guard let received else {
          state = .over
          return nil
        }
        isCompressed = received.isCompressed
        return received.content
      } catch {
        state = .over
        throw error
      }
    }
  }

  /// Iterates; once only.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source) }
}

/// Where a response stream comes from; handed to its one iterator.
final class ResponseStreamSource<Response: Message>: Sendable {
  enum Origin: Sendable {
    case lazy(ResponseStream<Response>.Opening)
    case open(OpenResponseStream<Response>)
  }

  private let origin: Lock<Origin?>

  init(_ origin: Origin) {
    self.origin = Lock(origin)
  }

  func take() -> Origin {
    let origin = origin.withLock { $0.take() }
    guard let origin else { preconditionFailure("a response stream is iterated once") }
    return origin
  }
}

/// A response stream in progress.
///
/// When nobody holds it, the call ends.
final class OpenResponseStream<Response: Message>: Sendable {
  typealias Observation = @Sendable (StatusCode) -> Void

  private enum State {
    case open(Observation?)
    case ended(StatusCode)
  }

  private let call: ResponseStreamCall<Response>
  private let state = Lock(State.open(nil))

  init(_ call: ResponseStreamCall<Response>) {
    self.call = call
  }

  deinit {
    guard end(.cancelled) else { return }
    call.abandon()
  }

  /// Notifies `observation` of how the call ended, as far as its consumer sees it.
  func observe(_ observation: @escaping Observation) {
    let code = state.withLock { state -> StatusCode? in
      if case .ended(let code) = state { return code }
      state = .open(observation)
      return nil
    }
    if let code { observation(code) }
  }

  /// The next message; nil at the end.
  ///
  /// One consumer.
  func next() async -> Result<ReceivedMessage<Response>?, RPCError> {
    do {
      let message = try await call.messages.next()
      if message == nil { _ = end(.ok) }
      return .success(message)
    } catch {
      // The queue's only other error: the task was cancelled while it waited.
      let failure = error as? RPCError ?? .cancelledByCaller
      if end(failure.code) { call.abandon() }
      return .failure(failure)
    }
  }

  /// Notes the end; false when it was noted before.
  private func end(_ code: StatusCode) -> Bool {
    let (isFirst, observation) = state.withLock { state -> (Bool, Observation?) in
      guard case .open(let observation) = state else { return (false, nil) }
      state = .ended(code)
      return (true, observation)
    }
    observation?(code)
    return isFirst
  }
}
