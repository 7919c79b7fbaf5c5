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
  /// The heads of the writes that have run.
  private var heads: Set<ConflictKey> = []
  /// Whether one has run that named none, and so may have changed anything.
  private var isBlind = false

  /// For one commit; `rehearse` runs the body of a write on a connection that only listens.
  init(_ connection: any PipelinedConnection, _ rehearse: @escaping (Job, Rehearsal) -> Void) {
    (self.connection, self.rehearse) = (connection, rehearse)
    connection.known = nil
  }

  /// What writes ask first, as far as it can be found out without the server.
  func questions(of jobs: [Job]) -> [StoreQuestion] {
    var seen: Set<StoreQuestion> = []
    return jobs.flatMap { unknown(of: $0) }.filter { seen.insert($0).inserted }
  }

  private func unknown(of job: Job) -> [StoreQuestion] {
    guard job.heads != nil else { return [] }
    let rehearsal = Rehearsal(of: connection)
    rehearse(job, rehearsal)
    return rehearsal.unknown
  }

  /// Fetches what writes ask next, when the answers to the first questions are there.
  func learnMore(of jobs: [Job]) throws(StoreError) {
    for _ in 1..<Rehearsal.roundCountMax {
      let questions = questions(of: jobs)
      guard !questions.isEmpty else { break }
      try connection.learn(questions)
    }
    answers = connection.known
  }

  /// Has a write that is about to run find what it may rely on.
  func prepare(_ job: Job) throws(StoreError) {
    guard let wanted = job.heads else { return connection.known = nil }
    defer { heads.formUnion(wanted) }
    if !isBlind, heads.isDisjoint(with: wanted) { return connection.known = answers }
    connection.known = KnownAnswers()
    let kept = answers
    defer { answers = kept }
    let first = questions(of: [job])
    guard !first.isEmpty else { return }
    try connection.learn(first)
    try learnMore(of: [job])
  }

  /// Notes that a write has run.
  func finish(_ job: Job) {
    connection.known = nil
    if job.heads == nil, !job.isCatchUp { isBlind = true }
  }
}
