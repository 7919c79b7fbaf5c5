internal import ServiceKit

/// Whose a password hash is: hashes of one share wait for one another, and hardly for those of others.
///
/// A digest, so that the queue holds no addresses.
struct HashShare: Hashable, Sendable {
  private let digest: [UInt8]

  /// The share of whoever is known to have been right for an account.
  init(account: [UInt8]) { digest = account }

  /// The share of one source of attempts on an account: nobody else can use up that of its owner.
  init(account: [UInt8], from source: SourceAddress?) {
    digest = account + (source?.bytes ?? [])
  }

  /// The share of a user who is signed in.
  init(user id: String) { digest = Array(id.utf8) }
}

/// The hashes of one lane: those of a share in the order in which they came, and the shares in turn.
///
/// Somebody who asks for two hundred hashes at once so holds four places, and whoever asks for one
/// waits for one of these four at most.
struct FairLane: Sendable {
  /// Places of one share, at most.
  ///
  /// Changing a password takes two, and people have more than one device.
  static let shareCountMax = 4

  /// Places that are given out and not yet free again.
  private(set) var placeCount = 0
  private var places: [HashShare: Int] = [:]
  private var waiting: [HashShare: [HashQueue.Job]] = [:]
  /// Shares with waiting jobs, each once.
  private var arriving: [HashShare] = []
  /// The rest of those that arrived before, the next one last.
  private var leaving: [HashShare] = []

  /// Whether no job waits.
  var isEmpty: Bool { waiting.isEmpty }

  /// Jobs that wait.
  var waitingCount: Int { waiting.values.reduce(0) { $0 + $1.count } }

  /// Whether a share has all the places that it may have.
  func isFull(_ share: HashShare) -> Bool { places[share, default: 0] >= Self.shareCountMax }

  /// Takes a place.
  mutating func reserve(_ share: HashShare) {
    placeCount += 1
    places[share, default: 0] += 1
  }

  /// Gives a place back.
  mutating func release(_ share: HashShare) {
    placeCount -= 1
    let rest = places[share, default: 0] - 1
    places[share] = rest > 0 ? rest : nil
  }

  /// Adds a job that has a place.
  mutating func append(_ job: HashQueue.Job) {
    if waiting[job.share] == nil { arriving.append(job.share) }
    waiting[job.share, default: []].append(job)
  }

  /// The oldest job of the share whose turn it is; nil when none waits.
  mutating func next() -> HashQueue.Job? {
    if leaving.isEmpty {
      leaving = arriving.reversed()
      arriving = []
    }
    guard let share = leaving.popLast(), var jobs = waiting.removeValue(forKey: share) else {
      return nil
    }
    let job = jobs.removeFirst()
    if !jobs.isEmpty {
      waiting[share] = jobs
      arriving.append(share)
    }
    return job
  }
}
