internal import RPCKit

/// Jobs that wait for their turn on threads, and who is next; knows no threads and no clock.
///
/// Jobs of one owner run in their order, and owners take turns: who brings a hundred jobs waits for
/// them longer than a user who brings one. Owners without credentials are as many as they like, so
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

  private let bounds: Bounds
  private var anonymous = FairLane<CountedCaller, Job>()
  private var known = FairLane<CountedCaller, Job>()
  private var isAnonymousNext = false

  /// Makes an empty queue.
  init(_ bounds: Bounds) {
    precondition(bounds.placeCount > 1 && bounds.placeCountPerOwner > 0, "a queue without room")
    self.bounds = bounds
  }

  /// Jobs that wait or run.
  var placeCount: Int { anonymous.placeCount + known.placeCount }

  /// Places that an owner has.
  func placeCount(of owner: CountedCaller) -> Int { self[owner].placeCount(of: owner) }

  /// Adds a job; why not, when there is no place for it.
  mutating func append(_ job: Job, of owner: CountedCaller) -> Refusal? {
    guard self[owner].placeCount(of: owner) < bounds.placeCountPerOwner else { return .owner }
    guard placeCount < bounds.placeCount else { return .full }
    guard !owner.isAnonymous || anonymous.placeCount < bounds.placeCount / 2 else { return .full }
    self[owner].reserve(owner)
    self[owner].append(job, of: owner)
    return nil
  }

  /// The job whose turn it is, which keeps its place until `finish`; nil when none waits.
  mutating func next() -> (owner: CountedCaller, job: Job)? {
    isAnonymousNext.toggle()
    if isAnonymousNext { return anonymous.next() ?? known.next() }
    return known.next() ?? anonymous.next()
  }

  /// Takes a job out that waits, and frees its place; nil when none of the owner's matches.
  mutating func remove(of owner: CountedCaller, where matches: (Job) -> Bool) -> Job? {
    guard let job = self[owner].remove(of: owner, where: matches) else { return nil }
    self[owner].release(owner)
    return job
  }

  /// A job of an owner has run: its place is free.
  mutating func finish(_ owner: CountedCaller) { self[owner].release(owner) }

  /// The lane that an owner's jobs wait in.
  private subscript(owner: CountedCaller) -> FairLane<CountedCaller, Job> {
    get { owner.isAnonymous ? anonymous : known }
    _modify { if owner.isAnonymous { yield &anonymous } else { yield &known } }
  }
}
