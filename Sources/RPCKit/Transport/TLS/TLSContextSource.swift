/// Where new connections get their certificates and keys from, so that files can be replaced while
/// a server runs.
///
/// Callable from any thread. Connections keep the context that they began with.
public final class TLSContextSource: Sendable {
  private struct State {
    var context: TLSContext
    /// Which reload made `context`; the first context is 0.
    var generation: UInt64 = 0
    var lastGenerationStarted: UInt64 = 0
  }

  private let state: Lock<State>
  private let configuration: TLSConfiguration

  /// Reads the files of `configuration`, and throws when anything is missing, unreadable or
  /// contradicts the rest.
  public init(_ configuration: TLSConfiguration) throws(TLSError) {
    self.configuration = configuration
    state = Lock(State(context: try TLSContext(configuration)))
  }

  /// Reads the files again, for connections that begin from now on.
  ///
  /// Throws what is wrong with them and keeps the old context, so a file that is only half written
  /// does no harm: call again later. Reads files, so not on an event loop.
  public func reload() throws(TLSError) {
    let generation = state.withLock { state in
      state.lastGenerationStarted += 1
      return state.lastGenerationStarted
    }
    let context = try TLSContext(configuration)
    state.withLock { state in
      // Of two reloads at the same time, the one that began later saw the newer files.
      guard generation > state.generation else { return }
      state.generation = generation
      state.context = context
    }
  }

  /// The context for a new connection.
  package var current: TLSContext {
    state.withLock { $0.context }
  }
}
