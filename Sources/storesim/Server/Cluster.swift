/// Two servers, one of which is the primary, and the ways of programs to them.
final class Cluster: @unchecked Sendable {
  let servers: [Server]
  let schedule: Schedule
  /// The probability that a connection is cut while a statement is on its way, or its answer.
  var cutProbability = 0.0
  /// Breaches of rules.
  var problems: [String] = []
  /// Whether a program may take itself for the leader.
  var leaders: () -> [(program: Program, isLeading: Bool)] = { [] }
  private var links: [Int32: Link] = [:]
  private(set) var counts: [String: Int] = [:]

  init(folder: String, template: String?, schedule: Schedule) {
    self.schedule = schedule
    servers = ["db1", "db2"].map { name in
      Server(name: name, path: "\(folder)/\(name)", role: .standby, schedule: schedule)
    }
    servers[0].role = .primary
    if let template { ServerFile.copy(template, to: servers[0].path) }
    schedule.timePassed = { [unowned self] in for server in servers { server.timePassed() } }
    schedule.deadline = { [unowned self] in servers.compactMap(\.deadline).min() }
  }

  /// The server with the highest timeline.
  var primary: Server { servers[0].timeline >= servers[1].timeline ? servers[0] : servers[1] }
  var other: Server { servers[0].timeline >= servers[1].timeline ? servers[1] : servers[0] }

  func count(_ event: String) { counts[event, default: 0] += 1 }

  // MARK: Calls of programs

  func connect(_ handle: LinkHandle, _ host: String) -> Bool {
    let program = schedule.program
    schedule.pause()
    let server = servers.first { $0.name == host }
    guard let server, program?.isDead != true, server.role == .primary,
      !schedule.chance(cutProbability)
    else {
      let reason = server?.role == .standby ? "session is read-only" : "Connection refused"
      handle.set(error: "connection to server at \"\(host)\" failed: \(reason)")
      return false
    }
    links[handle.number] = Link(handle, program, server.begin(of: program))
    return true
  }

  func finish(_ handle: LinkHandle) {
    guard let link = links.removeValue(forKey: handle.number) else { return }
    // A commit goes on, if the program does not wait for it.
    if !link.session.isOrphan { link.session.server.end(link.session) }
  }

  func execute(_ handle: LinkHandle, _ text: String) -> Answer {
    answers(handle, isCommit: text == "COMMIT") { link throws(ServerFailure) in
      [try link.session.run(text, link)]
    }[0]
  }

  func prepare(_ handle: LinkHandle, _ name: String, _ text: String, _ types: [UInt32]) -> Answer {
    // It travels with what comes next.
    guard let link = links[handle.number], !link.isGone, !link.session.hasEnded else {
      return lost(handle)
    }
    do throws(ServerFailure) {
      return try link.session.prepare(name, text, types)
    } catch {
      return .failure(error)
    }
  }

  /// Runs statements that arrive together, up to the first that fails.
  func run(_ handle: LinkHandle, _ calls: [ServerCall]) -> [Answer] {
    answers(handle, isCommit: false) { link throws(ServerFailure) in
      var answers: [Answer] = []
      for call in calls {
        do throws(ServerFailure) {
          answers.append(try link.session.run(call, link))
        } catch {
          if error.state.isEmpty { throw error }
          answers.append(.failure(error))
        }
        if answers.last?.hasFailed == true { break }
      }
      return answers
    }
  }

  /// Brings statements to the server, and what it answers back.
  private func answers(
    _ handle: LinkHandle,
    isCommit: Bool,
    _ body: (Link) throws(ServerFailure) -> [Answer]
  ) -> [Answer] {
    guard let link = links[handle.number], !link.isGone else { return [lost(handle)] }
    schedule.thread?.link = link
    let session = link.session
    schedule.pause()
    if schedule.chance(cutProbability) { cut(link) }
    // What was sent before the connection was cut may arrive.
    guard !link.isGone || isCommit && schedule.chance(0.5), !session.hasEnded else {
      return [lost(handle)]
    }
    session.isBusy = true
    var answers: [Answer]
    do throws(ServerFailure) {
      answers = try body(link)
    } catch {
      answers = error.state.isEmpty ? [] : [.failure(error)]
    }
    session.endCall()
    schedule.pause()
    if schedule.chance(cutProbability) { cut(link) }
    guard !answers.isEmpty, !link.isGone else {
      if isCommit { count("commits in doubt") }
      return [lost(handle)]
    }
    handle.set(isConnected: true, session.state)
    return answers
  }

  private func lost(_ handle: LinkHandle) -> Answer {
    handle.set(isConnected: false, .unknown)
    handle.set(error: ServerFailure.lost.message)
    links[handle.number]?.leads = false
    return .failure(.lost)
  }

  // MARK: Time

  /// A thread of a program waits; those that look for news do.
  func sleep(_ microseconds: UInt32) {
    checkLeader()
    guard schedule.program?.isDead != true else { return schedule.pause() }
    let span = Int64(microseconds) * Int64(schedule.number(1...6))
    schedule.pause(.time(schedule.now + span))
  }

  /// A program leads only if the last answer that its thread has got came by a connection that holds the lead.
  private func checkLeader() {
    guard let program = schedule.program, !program.isDead, let link = schedule.thread?.link,
      leaders().contains(where: { $0.program === program && $0.isLeading }), isTail(link)
    else { return }
    if !link.leads {
      problems.append("\(program.name) leads by a connection that does not hold the lead")
    }
  }

  /// Whether a link is of a thread that holds the lead: the other one that sleeps looks for servers.
  private func isTail(_ link: Link) -> Bool { link.session.isTail }

  // MARK: Faults

  /// Cuts a connection; the server notices at once, later, or by its own limits.
  func cut(_ link: Link) {
    guard !link.isCut else { return }
    link.isCut = true
    count("cut connections")
    let session = link.session
    let span = schedule.chance(0.5) ? 0 : Int64(schedule.number(0...4_000_000))
    schedule.after(span) {
      if !session.isOrphan, !session.isCommitting { session.server.end(session) }
    }
  }

  func cut(_ program: Program) {
    for link in sorted where link.program === program { cut(link) }
  }

  /// A program was killed: the server hears of it at once.
  func drop(_ program: Program) {
    for link in sorted where link.program === program {
      if !link.session.isCommitting, !link.session.isBusy { link.session.server.end(link.session) }
    }
  }

  /// The server ends the sessions of a program, but for those that wait in COMMIT at a relieved primary.
  ///
  /// PostgreSQL shows such a commit to others from then on, though no standby has it: what they say of it is lost with
  /// the server, and no program can tell.
  func terminate(_ program: Program) {
    for link in sorted where link.program === program {
      let session = link.session
      // A commit that waits for a standby has happened.
      if session.isCommitting {
        guard session.server === primary else { continue }
        session.complete()
      }
      session.server.end(session)
    }
  }

  /// In the order in which they were made.
  private var sorted: [Link] { links.sorted { $0.key < $1.key }.map(\.value) }

  /// Cancels commits that wait for a standby: they have happened, with a warning.
  func cancelWaits(at server: Server) {
    for session in server.sessions where session.isCommitting && !session.isOrphan {
      count("cancelled waits")
      session.complete()
    }
  }

  func crash() {
    count("crashes")
    let server = primary
    server.crash(keepsCommits: schedule.chance(0.5))
    start(server, after: 50_000...2_000_000)
  }

  /// The standby takes over; the old primary ends and comes back for a while, or is not ended for a while.
  func takeOver(leavingOld: Bool) {
    count(leavingOld ? "relieved primaries" : "lost primaries")
    let (old, new) = (primary, other)
    // The standby may have a commit whose confirmation has not arrived.
    for session in old.sessions where session.isCommitting && schedule.chance(0.5) {
      session.complete()
    }
    old.hasStandby = false
    if !leavingOld { old.crash(keepsCommits: false) }
    new.become(a: old)
    new.timeline = old.timeline + 1
    new.role = .down
    start(new, after: leavingOld ? 0...0 : 50_000...1_000_000)
    if !leavingOld {
      start(old, after: 50_000...4_000_000, counted: "old primaries")
    }
    schedule.after(Int64(schedule.number(4_500_000...8_000_000))) { self.endOld() }
  }

  /// Has a server that is down start again later.
  private func start(_ server: Server, after span: ClosedRange<Int>, counted event: String? = nil) {
    schedule.after(Int64(schedule.number(span))) {
      guard server.role == .down else { return }
      server.role = .primary
      if let event { self.count(event) }
    }
  }

  /// Whether another server may take over.
  var canTakeOver: Bool { other.role == .standby && primary.role == .primary && primary.hasStandby }

  private func endOld() {
    other.crash(keepsCommits: false)
    other.role = .standby
    other.hasStandby = true
  }

  /// Everything is well again.
  func heal() {
    cutProbability = 0
    primary.role = .primary
    primary.hasStandby = true
    if other.role != .standby { endOld() }
  }
}
