import ServiceKit

/// Everything that a seed simulates: servers, programs, clients, and what was said.
final class World: @unchecked Sendable {
  /// A parcel that a program is handing over.
  final class HandOver: Sendable {
    /// When its lease ends at the earliest, by the program's clock.
    let leaseEnd: Int64
    let program: Program

    init(leaseEnd: Int64, program: Program) { (self.leaseEnd, self.program) = (leaseEnd, program) }
  }

  /// In milliseconds, as the longest pause between two attempts to hand over.
  static let lease: Int64 = 3000
  static let longestPause: Int64 = 60_000
  /// Points that an account has at the beginning.
  static let firstBalance: Int64 = 5
  /// Until when faults happen, and until when everything has to be well again, in microseconds.
  private static let faultEnd: Int64 = 7_000_000
  private static let limit: Int64 = 400_000_000

  let schedule: Schedule
  let cluster: Cluster
  let plan: Plan
  private(set) var replicas: [Replica] = []
  private(set) var clients: [Client] = []
  private var lives: [Int] = []
  /// Answers: wishes with the revisions of their changes, and requests that were refused.
  private(set) var acknowledged: [String: (wish: Household.Wish, revision: Int64)] = [:]
  private(set) var refused: Set<String> = []
  /// Acknowledged requests for points.
  private(set) var pointRequests: Set<String> = []
  /// People whose stay has ended, with the revision that their clients were given.
  private(set) var formerGuests: [(person: String, revision: Int64)] = []
  private var handOvers: [String: [HandOver]] = [:]
  private var isHealed = false

  init(seed: UInt64, folder: String, template: String) {
    schedule = Schedule(seed: seed)
    plan = Plan(&schedule.random)
    cluster = Cluster(folder: folder, template: template, schedule: schedule)
    Hooks.stage.schedule = schedule
    Hooks.stage.cluster = cluster
    cluster.leaders = { [unowned self] in
      replicas.map { ($0.program, $0.database?.isLeading ?? false) }
    }
  }

  var problems: [String] { cluster.problems }

  func report(_ problem: String) {
    cluster.problems.append("at \(schedule.now / 1000) ms: \(problem)")
  }

  // MARK: The run

  func run() {
    for place in 0..<plan.programCount { startProgram(place) }
    clients = (0..<plan.clientCount).map { Client("c\($0 + 1)", in: self) }
    for client in clients { client.start() }
    cluster.cutProbability = plan.cutProbability
    for event in plan.events { schedule.after(event.time) { self.happen(event.fault) } }
    schedule.after(Self.faultEnd) { self.heal() }
    if schedule.run(until: Self.limit, while: { problems.isEmpty && !isWell }) {
      if problems.isEmpty { check() }
    } else if problems.isEmpty {
      report("not everything is well again: \(unwell)")
    }
    end()
  }

  private func startProgram(_ place: Int) {
    if lives.count <= place { lives.append(0) }
    lives[place] += 1
    let replica = Replica(Program(place: place, life: lives[place]), in: self)
    if replicas.count <= place { replicas.append(replica) } else { replicas[place] = replica }
    replica.start()
  }

  private func heal() {
    cluster.heal()
    isHealed = true
  }

  /// Looked at now and then, since it is much to look at.
  private var isWell: Bool {
    isHealed && schedule.stepCount % 32 == 0 && clients.allSatisfy(\.isDone) && unwell.isEmpty
  }

  /// All that is not as it has to be in the end.
  private var unwell: [String] {
    var found: [String] = []
    if !clients.allSatisfy(\.isDone) { found.append("clients wait for answers") }
    if cluster.primary.number(of: "SELECT count(*) FROM parcel") > 0 {
      found.append("parcels wait")
    }
    let newest = cluster.primary.number(of: "SELECT coalesce(max(revision), 0) FROM change_log")
    for replica in replicas where !replica.hasFollowed(newest) {
      found.append("\(replica.program.name) has not followed to \(newest): \(replica.place)")
    }
    let leaders = replicas.filter { $0.database?.isLeading ?? false }.map(\.program.name)
    if leaders.count != 1 { found.append("leaders: \(leaders)") }
    return found
  }

  /// Reads everything by a program, and compares it with what was said.
  private func check() {
    let history = History()
    schedule.start(replicas[0].program) {
      do { try await self.replicas[0].read(history) } catch { self.report("\(error)") }
      history.isRead = true
    }
    _ = schedule.run(until: .max, while: { !history.isRead && problems.isEmpty })
    guard problems.isEmpty else { return }
    for problem in Check(self, history).problems { report(problem) }
  }

  /// Ends all programs and lets go of their threads.
  private func end() {
    cluster.heal()
    for replica in replicas where !replica.program.isDead { replica.kill() }
    let isOver = schedule.run(until: .max) { !schedule.isIdle }
    guard isOver else { fatalError("threads of a simulation are left") }
  }

  // MARK: Faults

  private func happen(_ fault: Plan.Fault) {
    guard !isHealed else { return }
    let replica = schedule.element(of: replicas)
    let program = replica.program
    cluster.count(fault.rawValue)
    switch fault {
    case .kill:
      guard !program.isDead else { return }
      replica.kill()
      schedule.after(Int64(schedule.number(100_000...1_500_000))) {
        self.startProgram(program.place)
      }
    case .stop:
      program.stoppedUntil = schedule.now + Int64(schedule.number(100_000...9_000_000))
    case .cut: cluster.cut(program)
    case .terminate: cluster.terminate(program)
    case .crash: if cluster.primary.role == .primary { cluster.crash() }
    case .loss: if cluster.canTakeOver { cluster.takeOver(leavingOld: false) }
    case .relief: if cluster.canTakeOver { cluster.takeOver(leavingOld: true) }
    case .standbyAway: standbyLeaves()
    }
  }

  private func standbyLeaves() {
    guard cluster.canTakeOver else { return }
    let server = cluster.primary
    server.hasStandby = false
    schedule.after(Int64(schedule.number(100_000...1_000_000))) {
      self.cluster.cancelWaits(at: server)
    }
    schedule.after(Int64(schedule.number(1_000_000...3_000_000))) {
      if server === self.cluster.primary { server.hasStandby = true }
    }
  }

  // MARK: What was said

  func acknowledge(_ wish: Household.Wish, _ request: String, _ revision: Int64) {
    if let before = acknowledged[request], before.revision != revision {
      report("\(request) has changes \(before.revision) and \(revision)")
    }
    acknowledged[request] = (wish, revision)
    switch wish {
    case .addPoints: pointRequests.insert(request)
    case .endStay(let person): formerGuests.append((person, revision))
    case .join, .leave, .send: break
    }
  }

  func refuse(_ request: String) { refused.insert(request) }

  /// A program begins to hand over a parcel: nobody else may have it, unless a lease has ended.
  func begin(_ work: HandOver, of parcel: String, now: Int64) {
    let others = handOvers[parcel, default: []].filter { !$0.program.isDead }
    handOvers[parcel] = others + [work]
    // A lease that ended while it waited is another one's, and clocks that differ end leases early.
    guard plan.hasOneClock, now < work.leaseEnd,
      let other = others.first(where: { now < $0.leaseEnd })
    else { return }
    report("\(work.program.name) and \(other.program.name) hand over \(parcel) at once")
  }

  func end(_ work: HandOver, of parcel: String) {
    handOvers[parcel]?.removeAll { $0 === work }
  }
}
