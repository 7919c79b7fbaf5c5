internal import RPCKit
internal import ServiceKit

/// Which of the two queues a password hash waits in.
public enum HashLane: String, CaseIterable, Sendable {
  /// With proof of an earlier success: a session, a device that signed in before, or an address that
  /// did for the same account.
  case trusted
  /// Everybody else.
  case ordinary
}

/// The waiting hashes of a `HashPool`, and the next one; knows no threads and no clock.
///
/// Neither lane can shut the other out: of all places each may take three quarters, and of four turns
/// the ordinary lane has one even while the trusted one never runs dry. A flood of wrong sign-ins so
/// leaves three quarters of the threads to those who were right before, and anyone who has a device
/// that is known cannot stop strangers from signing in. When hashes take so long that there are hardly
/// any places, the trusted lane still has a few of its own. Within a lane shares take turns (`FairLane`), and
/// nobody has more places than one may have.
struct HashQueue: Sendable {
  /// A hash that waits.
  struct Job: Sendable {
    let lane: HashLane
    let share: HashShare
    let arrived: MonotonicInstant
    /// Does the work; what it returns hands the result over.
    let run: @Sendable () -> @Sendable () -> Void
  }

  /// Places of one share in a lane, at most.
  ///
  /// Changing a password takes two, and people have more than one device.
  static let shareCountMax = 4
  /// Turns of the trusted lane for each of the ordinary one, while both wait.
  static let trustedTurns = 3

  /// The outcome for a caller who asked for a place.
  enum Reservation: Hashable, Sendable {
    case taken
    /// The lane has none, or there is none at all.
    case laneIsFull
    /// The share has all that one may have.
    case shareIsFull
  }

  private typealias Lane = FairLane<HashShare, Job>

  private var trusted = Lane()
  private var ordinary = Lane()
  private var turnCount = 0

  /// Places of both lanes that are not free.
  var placeCount: Int { trusted.placeCount + ordinary.placeCount }

  /// Jobs of both lanes that have not begun.
  var waitingCount: Int { trusted.waitingCount + ordinary.waitingCount }

  /// How many places of `capacity` one lane may take.
  static func share(of capacity: Int) -> Int { max(1, capacity * 3 / 4) }

  /// Takes a place in a lane for a share.
  ///
  /// The trusted lane may take `trustedCountMin` places whatever `capacity` says.
  mutating func reserve(
    _ lane: HashLane,
    for share: HashShare,
    capacity: Int,
    trustedCountMin: Int = 0
  ) -> Reservation {
    // First, so that a caller who asks for too much learns that, and not that others do.
    guard self[lane].placeCount(of: share) < Self.shareCountMax else { return .shareIsFull }
    let laneMax = Self.share(of: capacity)
    // Strangers do not pay for what the trusted lane has beyond that.
    let isFull = ordinary.placeCount + min(trusted.placeCount, laneMax) >= capacity
    let isWithinCapacity = !isFull && self[lane].placeCount < laneMax
    guard isWithinCapacity || lane == .trusted && trusted.placeCount < trustedCountMin else {
      return .laneIsFull
    }
    self[lane].reserve(share)
    return .taken
  }

  /// Gives a place back.
  mutating func release(_ lane: HashLane, _ share: HashShare) { self[lane].release(share) }

  /// Adds a job that has a place.
  mutating func append(_ job: Job) { self[job.lane].append(job, of: job.share) }

  /// The job whose turn it is; nil when none waits.
  mutating func next() -> Job? {
    if trusted.isEmpty || ordinary.isEmpty {
      turnCount = 0
      return (trusted.next() ?? ordinary.next())?.job
    }
    guard turnCount < Self.trustedTurns else {
      turnCount = 0
      return ordinary.next()?.job
    }
    turnCount += 1
    return trusted.next()?.job
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
