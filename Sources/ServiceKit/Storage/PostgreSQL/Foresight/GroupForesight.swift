/// The answers that the writes of one commit will need, fetched before they run.
///
/// One write after the other would wait for the server with each question. Writes that name their heads are rehearsed
/// instead, all of the group, and what they ask goes to the server in one round trip, two or three times
/// (docs/decisions/0247). An answer is of the moment before the first of them, so a write uses it only as long as none
/// before it had a head in common; what it lacks it asks by itself.
///
/// Confined to the writer's thread.
final class GroupForesight {
  typealias Job = StoreWriter.Queue.Job

  private let connection: any PipelinedConnection
  private let rehearse: (Job, Rehearsal) -> Void
  private var answers: KnownAnswers?
  /// The writes that were rehearsed.
  private var rehearsed: Set<UInt64> = []
  /// The heads of the writes that have run.
  private var heads: Set<ConflictKey> = []
  /// Whether one has run that may have changed anything.
  private var isBlind = false

  /// For one commit; `rehearse` runs the body of a write on a connection that only listens.
  init(_ connection: any PipelinedConnection, _ rehearse: @escaping (Job, Rehearsal) -> Void) {
    (self.connection, self.rehearse) = (connection, rehearse)
    connection.known = nil
  }

  /// The first questions of writes, as far as they can be found out without the server.
  func questions(of jobs: [Job]) -> [StoreQuestion] {
    var jobs = jobs
    return questions(ofEach: &jobs)
  }

  /// The same, and leaves those that ask nothing more.
  private func questions(ofEach jobs: inout [Job]) -> [StoreQuestion] {
    var seen: Set<StoreQuestion> = []
    var asked: [StoreQuestion] = []
    jobs.removeAll { job in
      let unknown = unknown(of: job)
      asked += unknown.filter { seen.insert($0).inserted }
      return unknown.isEmpty
    }
    return asked
  }

  private func unknown(of job: Job) -> [StoreQuestion] {
    job.heads == .unknown ? [] : rehearsal(of: job).unknown
  }

  private func rehearsal(of job: Job) -> Rehearsal {
    let rehearsal = Rehearsal(of: connection)
    rehearse(job, rehearsal)
    return rehearsal
  }

  /// Whether a write has come too late to be rehearsed with the others: it is better off in the next commit.
  func isMissing(_ job: Job) -> Bool { job.heads != .unknown && !rehearsed.contains(job.id) }

  /// Fetches what writes ask next, when the answers to the first questions are there.
  func learnMore(of jobs: [Job]) throws(StoreError) {
    rehearsed.formUnion(jobs.lazy.map(\.id))
    var jobs = jobs
    for _ in 0..<Rehearsal.roundCountMax {
      let questions = questions(ofEach: &jobs)
      guard !questions.isEmpty else { break }
      try connection.learn(questions)
    }
    answers = connection.known
  }

  /// Has a write that is about to run find what it may rely on.
  func prepare(_ job: Job) throws(StoreError) {
    guard job.heads != .unknown else { return connection.known = nil }
    if isUntouched(for: job) { return connection.known = answers }
    let old = answers
    defer { answers = old }
    // Old answers mostly lead to the questions that new ones lead to.
    connection.known = old
    let asked = rehearsal(of: job).asked
    connection.known = KnownAnswers()
    if !asked.isEmpty { try connection.learn(asked) }
    try learnMore(of: [job])
  }

  /// Notes that a write has run.
  func finish(_ job: Job) {
    connection.known = nil
    if let keys = job.heads.names {
      heads.formUnion(keys)
    } else if !job.isCatchUp {
      isBlind = true
    }
  }

  /// Whether no write has changed what a write reads.
  private func isUntouched(for job: Job) -> Bool {
    guard !isBlind else { return false }
    guard let keys = job.heads.names else { return heads.isEmpty }
    return heads.isDisjoint(with: keys)
  }
}
