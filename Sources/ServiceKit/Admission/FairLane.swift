/// Jobs that wait: those of an owner in the order in which they came, and the owners in turn.
///
/// A user who brings two hundred jobs so waits for them longer than a user who brings one. A job has a
/// place from before it waits until it has run; what to do when there are too many is for others to say. Inlinable, so
/// that code of other modules that uses it is compiled for its types.
package struct FairLane<Owner: Hashable & Sendable, Job: Sendable>: Sendable {
  /// Places that are taken.
  package private(set) var placeCount = 0
  private var places: [Owner: Int] = [:]
  @usableFromInline var waiting: [Owner: [Job]] = [:]
  /// Owners with waiting jobs, each once.
  @usableFromInline var arriving: [Owner] = []
  /// The rest of those that arrived before, the next one last.
  @usableFromInline var leaving: [Owner] = []

  /// Makes an empty lane.
  package init() {}

  /// Whether no job waits.
  @inlinable package var isEmpty: Bool { waiting.isEmpty }

  /// Jobs that wait.
  package var waitingCount: Int { waiting.values.reduce(0) { $0 + $1.count } }

  /// Places that an owner has.
  package func placeCount(of owner: Owner) -> Int { places[owner, default: 0] }

  /// Takes a place.
  package mutating func reserve(_ owner: Owner) {
    placeCount += 1
    places[owner, default: 0] += 1
  }

  /// Gives a place back.
  package mutating func release(_ owner: Owner) {
    placeCount -= 1
    let rest = places[owner, default: 0] - 1
    places[owner] = rest > 0 ? rest : nil
  }

  /// Adds a job that has a place.
  @inlinable
  package mutating func append(_ job: Job, of owner: Owner) {
    if waiting[owner] == nil { arriving.append(owner) }
    waiting[owner, default: []].append(job)
  }

  /// Takes a waiting job of `owner` out; nil when none matches.
  ///
  /// Its place stays taken until `release`.
  package mutating func remove(of owner: Owner, where matches: (Job) -> Bool) -> Job? {
    guard let index = waiting[owner]?.firstIndex(where: matches) else { return nil }
    let job = waiting[owner]?.remove(at: index)
    if waiting[owner]?.isEmpty == true {
      waiting[owner] = nil
      // An owner that stayed would have a second turn when it comes back.
      arriving.removeAll { $0 == owner }
      leaving.removeAll { $0 == owner }
    }
    return job
  }

  /// The oldest job of the owner whose turn it is; nil when none waits.
  @inlinable
  package mutating func next() -> (owner: Owner, job: Job)? {
    if leaving.isEmpty {
      leaving = arriving.reversed()
      arriving = []
    }
    guard let owner = leaving.popLast(), var jobs = waiting.removeValue(forKey: owner) else {
      return nil
    }
    let job = jobs.removeFirst()
    if !jobs.isEmpty {
      waiting[owner] = jobs
      arriving.append(owner)
    }
    return (owner, job)
  }
}
