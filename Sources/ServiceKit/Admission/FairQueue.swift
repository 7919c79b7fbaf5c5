internal import RPCKit

/// Jobs that wait for a few threads, and who is next; knows no threads and no clock.
///
/// Jobs of one owner run in their order, and owners take turns: who brings a hundred jobs waits for
/// them longer than somebody who brings one. Owners without credentials are as many as they like, so
/// all of them together take turns with the others and may have half of the places.
struct FairQueue<Job: Sendable>: Sendable {
  /// How many jobs may be there.
  struct Bounds: Sendable {
    /// Jobs that wait or run.
    var placeCount: Int
    /// Those of one owner.
    var placeCountPerOwner: Int
  }

  /// Why a job has no place.
  enum Refusal: String, CaseIterable, Error {
    /// Its owner has too many.
    case owner
    /// All together have, or all without credentials.
    case full
  }

  /// Owners of one class, which take turns.
  private struct Class {
    /// Jobs that wait, the oldest first; an owner is here while it has some.
    var waiting: [CountedCaller: [Job]] = [:]
    /// Those owners, whose turn is next first.
    var turns: [CountedCaller] = []
    var placeCount = 0

    mutating func append(_ job: Job, of owner: CountedCaller) {
      if waiting[owner] == nil { turns.append(owner) }
      waiting[owner, default: []].append(job)
    }

    mutating func next() -> (owner: CountedCaller, job: Job)? {
      guard !turns.isEmpty else { return nil }
      let owner = turns.removeFirst()
      guard var jobs = waiting.removeValue(forKey: owner), !jobs.isEmpty else { return nil }
      let job = jobs.removeFirst()
      if !jobs.isEmpty {
        waiting[owner] = jobs
        turns.append(owner)
      }
      return (owner, job)
    }
  }

  private let bounds: Bounds
  private var anonymous = Class()
  private var known = Class()
  private var placeCounts: [CountedCaller: Int] = [:]
  private var isAnonymousNext = false

  /// Makes an empty queue.
  init(_ bounds: Bounds) {
    precondition(bounds.placeCount > 1 && bounds.placeCountPerOwner > 0, "a queue without room")
    self.bounds = bounds
  }

  /// Jobs that wait or run.
  var placeCount: Int { anonymous.placeCount + known.placeCount }

  /// Adds a job; why not, when there is no place for it.
  mutating func append(_ job: Job, of owner: CountedCaller) -> Refusal? {
    guard placeCounts[owner, default: 0] < bounds.placeCountPerOwner else { return .owner }
    guard placeCount < bounds.placeCount else { return .full }
    if owner.isAnonymous {
      guard anonymous.placeCount < bounds.placeCount / 2 else { return .full }
      anonymous.placeCount += 1
      anonymous.append(job, of: owner)
    } else {
      known.placeCount += 1
      known.append(job, of: owner)
    }
    placeCounts[owner, default: 0] += 1
    return nil
  }

  /// The job whose turn it is, which keeps its place until `finish`; nil when none waits.
  mutating func next() -> (owner: CountedCaller, job: Job)? {
    isAnonymousNext.toggle()
    if isAnonymousNext { return anonymous.next() ?? known.next() }
    return known.next() ?? anonymous.next()
  }

  /// A job of an owner has run: its place is free.
  mutating func finish(_ owner: CountedCaller) {
    if owner.isAnonymous { anonymous.placeCount -= 1 } else { known.placeCount -= 1 }
    let left = placeCounts[owner, default: 0] - 1
    placeCounts[owner] = left > 0 ? left : nil
  }
}
