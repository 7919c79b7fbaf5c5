internal import RPCKit

/// A job that can wait in `WaitingJobs`.
protocol WaitingJob: Sendable {
  /// Tells it from the others of its queue.
  var id: UInt64 { get }
  /// The caller; nil for work that is not counted for anybody.
  var owner: CountedCaller? { get }
}

/// The jobs that wait for the threads of a store: who is next, and who may wait.
///
/// A few leave in the order in which they came, and nobody looks whose they are; a transaction of the writer
/// takes them all, so for it a few are more. When more wait, and until those are done, callers take turns (`FairQueue`), and one may
/// have a new place only as long as it has less than an eighth of the places that are free. However many
/// fill the queue, some places stay free so for callers who have none (dynamic thresholds: A. Choudhury and
/// E. Hahne, "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches", 1998). Jobs without an
/// owner go first, and only the bound on all applies to them.
struct WaitingJobs<Job: WaitingJob>: Sendable {
  /// Which part of the free places one caller may have.
  private static var shareDivisor: Int { 8 }
  /// Which part of all places are taken before callers share.
  private static var unsharedDivisor: Int { 16 }

  private let countMax: Int
  /// Jobs that wait in the order of their arrival; more are shared out.
  private let unsharedCountMax: Int
  /// In the order of arrival; without those of callers while any are in `shared`.
  private var arrivals: [Job] = []
  /// The arrivals before this one were taken already.
  private var head = 0
  private var shared: FairQueue<Job>

  /// Makes an empty queue; jobs that are not done together are better shared out from the first few on.
  init(countMax: Int, unsharedCountMax: Int? = nil) {
    precondition(countMax > 0, "a queue without room")
    self.countMax = countMax
    // A sixteenth of a few places would be less than a job.
    let standard = countMax < 64 ? countMax : countMax / Self.unsharedDivisor
    self.unsharedCountMax = min(unsharedCountMax ?? standard, standard)
    shared = FairQueue(.init(placeCount: max(2, countMax), placeCountPerOwner: countMax))
  }

  /// Jobs that nobody has taken.
  var count: Int { arrivals.count - head + shared.placeCount }

  /// Adds a job; why not, when there is no place for it.
  mutating func append(_ job: Job) -> StoreError? {
    guard count < countMax else { return .overloaded }
    guard let owner = job.owner else {
      arrivals.append(job)
      return nil
    }
    guard shared.placeCount > 0 else {
      arrivals.append(job)
      if arrivals.count - head > unsharedCountMax { share() }
      return nil
    }
    let share = max(1, (countMax - count) / Self.shareDivisor)
    guard shared.placeCount(of: owner) < share else { return .callerOverloaded }
    return shared.append(job, of: owner) == nil ? nil : .overloaded
  }

  /// Takes the job whose turn it is; nil when none waits.
  mutating func take() -> Job? {
    if let job = takeArrival() { return job }
    guard let (owner, job) = shared.next() else { return nil }
    shared.finish(owner)
    return job
  }

  /// Takes out a job that still waits; nil when it does not.
  mutating func remove(_ id: UInt64, of owner: CountedCaller?) -> Job? {
    if let index = arrivals[head...].firstIndex(where: { $0.id == id }) {
      return arrivals.remove(at: index)
    }
    return owner.flatMap { shared.remove(of: $0) { $0.id == id } }
  }

  private mutating func takeArrival() -> Job? {
    guard head < arrivals.count else { return nil }
    let job = arrivals[head]
    head += 1
    if head == arrivals.count {
      arrivals.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 64, head * 2 >= arrivals.count {
      arrivals.removeFirst(head)
      head = 0
    }
    return job
  }

  /// Sorts the jobs by who called for them.
  private mutating func share() {
    let jobs = arrivals[head...]
    arrivals = []
    head = 0
    for job in jobs {
      guard let owner = job.owner else {
        arrivals.append(job)
        continue
      }
      let refusal = shared.append(job, of: owner)
      precondition(refusal == nil, "a sixteenth of the places is less than anybody may have")
    }
  }
}
