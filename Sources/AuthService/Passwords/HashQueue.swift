internal import RPCKit

/// Which of the two queues a password hash waits in.
public enum HashLane: String, CaseIterable, Sendable {
  /// With proof of an earlier success: a session, a device that signed in before, or an address that
  /// did for the same account.
  case trusted
  /// Everybody else.
  case ordinary
}

/// What waits for the threads of a `HashPool`, and who is next; knows no threads and no clock.
///
/// Neither lane can shut the other out: of all places each may take three quarters, and of four turns
/// the ordinary lane has one even while the trusted one never runs dry. A flood of wrong sign-ins so
/// leaves three quarters of the threads to those who were right before, and whoever has a device
/// that is known cannot stop strangers from signing in.
struct HashQueue: Sendable {
  /// A hash that waits.
  struct Job: Sendable {
    let lane: HashLane
    let arrived: MonotonicInstant
    /// Does the work; what it returns hands the result over.
    let run: @Sendable () -> @Sendable () -> Void
  }

  /// Turns of the trusted lane for each of the ordinary one, while both wait.
  static let trustedTurns = 3

  private struct Lane {
    /// Places that are given out and not yet free again.
    var placeCount = 0
    var arriving: [Job] = []
    /// The rest of those that arrived before, the oldest last.
    var leaving: [Job] = []

    var isEmpty: Bool { arriving.isEmpty && leaving.isEmpty }

    mutating func next() -> Job? {
      if leaving.isEmpty {
        leaving = arriving.reversed()
        arriving = []
      }
      return leaving.popLast()
    }
  }

  private var trusted = Lane()
  private var ordinary = Lane()
  private var turnCount = 0

  /// Places of both lanes that are not free.
  var placeCount: Int { trusted.placeCount + ordinary.placeCount }

  /// How many places of `capacity` one lane may take.
  static func share(of capacity: Int) -> Int { max(1, capacity * 3 / 4) }

  /// Takes a place in a lane; false when there is none.
  mutating func reserve(_ lane: HashLane, capacity: Int) -> Bool {
    guard placeCount < capacity, self[lane].placeCount < Self.share(of: capacity) else {
      return false
    }
    self[lane].placeCount += 1
    return true
  }

  /// Gives a place back.
  mutating func release(_ lane: HashLane) { self[lane].placeCount -= 1 }

  /// Adds a job that has a place.
  mutating func append(_ job: Job) { self[job.lane].arriving.append(job) }

  /// The job whose turn it is; nil when none waits.
  mutating func next() -> Job? {
    if trusted.isEmpty || ordinary.isEmpty {
      turnCount = 0
      return trusted.next() ?? ordinary.next()
    }
    guard turnCount < Self.trustedTurns else {
      turnCount = 0
      return ordinary.next()
    }
    turnCount += 1
    return trusted.next()
  }

  private subscript(lane: HashLane) -> Lane {
    get {
      switch lane {
      case .trusted: trusted
      case .ordinary: ordinary
      }
    }
    _modify {
      switch lane {
      case .trusted: yield &trusted
      case .ordinary: yield &ordinary
      }
    }
  }
}
