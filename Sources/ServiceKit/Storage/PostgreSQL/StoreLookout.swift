internal import Glibc
internal import Synchronization

/// The thread that looks for a server that has taken over from the one in use.
///
/// Nothing else would find it: a primary that was relieved and that nobody has ended accepts connections, answers reads
/// from before, and lets commits wait for its standby without end (docs/decisions/0242). A host that is away costs two
/// seconds, which this thread has.
final class StoreLookout: Sendable {
  private let memory: StoreTimeline
  private let isClosed = Atomic<Bool>(false)

  /// Time between two looks at the statements that are under way, in milliseconds.
  private static let interval: UInt32 = 100
  /// Looks at statements between two at all hosts, if there are several: five seconds.
  private static let looksPerRound = 50

  private init(_ memory: StoreTimeline) { self.memory = memory }

  /// Begins to look.
  static func start(
    _ location: PostgresLocation,
    _ memory: StoreTimeline
  ) async throws(StoreError) -> (lookout: StoreLookout, thread: StoreThread) {
    let lookout = StoreLookout(memory)
    let thread = try await StoreThread.start(name: "store-lookout") {
      () throws(StoreError) in
      try PostgresLibrary.require(for: location.description)
      return PostgresHosts(location)
    } work: { hosts in
      lookout.run(hasRounds: hosts.areSeveral) {
        PostgresConnection.look(at: location, for: memory)
      }
    }
    return (lookout, thread)
  }

  /// Has the thread end.
  func close() { isClosed.store(true, ordering: .relaxed) }

  /// Looks until the end; `look` asks all hosts for their timelines.
  private func run(hasRounds: Bool, look: () -> Void) {
    var lookCount = 0
    while !isClosed.load(ordering: .relaxed) {
      lookCount += 1
      let isRound = hasRounds && lookCount % Self.looksPerRound == 0
      if memory.lookAtStatements() || isRound { look() }
      memory.endSuperseded()
      usleep(Self.interval * 1000)
    }
  }
}
