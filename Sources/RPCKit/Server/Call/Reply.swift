/// The answer of a handler that can often do without a task.
///
/// A task and its `await`s cost more than an answer from memory does. A method whose contract says
/// `immediate` has a handler that is called in the event that brought the request and returns one of
/// these; see docs/decisions/0077.
public enum Reply<Response: Message>: Sendable {
  /// The answer.
  case now(Response)
  /// The answer takes a wait: this function runs in a task and finds it.
  case later(@Sendable () async throws -> Response)
}
