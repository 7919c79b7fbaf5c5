import RPCKit
import RPCKitTesting

/// Two calls whose handlers take turns, in an order that a seed decides.
///
/// A turn is what a handler does between two waits: for the store, a hash, another service. The next
/// turn is given only when both handlers are ready for one or done, so that the order does not depend
/// on how fast the store or a thread happens to be.
final class Race: Sendable {
  private struct Runner {
    var jobs: [UnownedJob] = []
    /// Set when its handler is about to begin.
    var track: Track?
    var isDone = false
  }

  private struct State {
    var random: SimulationRandom
    var runners = [Runner(), Runner()]
    var isTurnTaken = false
  }

  /// Where the handler of one call runs.
  private final class Track: TaskExecutor {
    let race: Race
    let index: Int

    init(_ race: Race, _ index: Int) {
      self.race = race
      self.index = index
    }

    func enqueue(_ job: consuming ExecutorJob) {
      race.change { [job = UnownedJob(job)] in $0.runners[self.index].jobs.append(job) }
    }
  }

  private let state: Lock<State>
  private let loop: any EventLoop

  /// Makes a race whose turns are taken on `loop`.
  init(seed: UInt64, on loop: any EventLoop) {
    state = Lock(State(random: SimulationRandom(seed: seed)))
    self.loop = loop
  }

  /// Runs a handler as one of the two.
  func run(_ index: Int, _ handler: () async throws -> Void) async throws {
    let track = Track(self, index)
    change { $0.runners[index].track = track }
    let result: Result<Void, any Error>
    do {
      try await withTaskExecutorPreference(track) {
        // The first turn is one too.
        await Task.yield()
        try await handler()
      }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    // Back to the connection's loop.
    await Task.yield()
    change { $0.runners[index].isDone = true }
    try result.get()
  }

  /// Lets go of the tracks, which hold the race; both handlers must be over.
  func end() {
    state.withLock { state in
      for index in state.runners.indices { state.runners[index].track = nil }
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let turn = state.withLock { state -> (job: UnownedJob, track: Track)? in
      body(&state)
      return Self.nextTurn(&state)
    }
    guard let turn else { return }
    loop.execute { [self] in
      withExtendedLifetime(turn.track) {
        unsafe turn.job.runSynchronously(on: turn.track.asUnownedTaskExecutor())
      }
      change { $0.isTurnTaken = false }
    }
  }

  /// The job whose turn it is; nil while somebody is not ready.
  private static func nextTurn(_ state: inout State) -> (job: UnownedJob, track: Track)? {
    let isReady = state.runners.allSatisfy {
      $0.track != nil && ($0.isDone || !$0.jobs.isEmpty)
    }
    guard !state.isTurnTaken, isReady else { return nil }
    let ready = state.runners.indices.filter { !state.runners[$0].jobs.isEmpty }
    guard !ready.isEmpty else { return nil }
    let index = state.random.element(of: ready)
    let place = state.random.number(in: 0...state.runners[index].jobs.count - 1)
    guard let track = state.runners[index].track else { return nil }
    state.isTurnTaken = true
    return (state.runners[index].jobs.remove(at: place), track)
  }
}

/// Lets calls whose metadata name a race take part in it: `race: 17/0`, `race: 17/1`.
///
/// Inside the authentication, so that both callers were let in before either handler begins.
final class RaceTrack: ServerInterceptor {
  private let races = Lock<[Substring: Race]>([:])

  /// Makes a race; its name.
  func add(_ name: Int, _ race: Race) { races.withLock { $0["\(name)"] = race } }

  /// Forgets a race whose calls are over.
  func remove(_ name: Int) {
    races.withLock { $0.removeValue(forKey: "\(name)") }?.end()
  }

  func begin(_ call: CallContext) -> Interception {
    let words = call.metadata["race"]?.split(separator: "/") ?? []
    guard words.count == 2, let race = races.withLock({ $0[words[0]] }), let index = Int(words[1])
    else { return .proceed }
    return .around { _, next in try await race.run(index, next) }
  }
}
