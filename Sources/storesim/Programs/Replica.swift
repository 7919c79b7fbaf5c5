import RPCKit
import RPCKitTesting
import ServiceKit

/// A program of the simulated service, in one of its lives.
final class Replica: @unchecked Sendable {
  typealias Reply = Google_Rpc.ErrorInfo

  let program: Program
  private let world: World
  private let clock: ShiftedClock
  private(set) var database: Database?
  private(set) var memory: Memory?
  private var store: ServiceStore?
  private var queue: HandOverQueue?
  private var isDraining = false
  private var drainStart: Int64 = 0
  /// The newest change that a watch of this program has told of.
  private var watched: Int64?
  /// Requests that it has acknowledged, to be found in its own reads.
  private(set) var acknowledged: Set<String> = []

  /// A program's clock, which differs from the others'.
  struct ShiftedClock: WallClock, @unchecked Sendable {
    let schedule: Schedule
    let shift: Int64

    var now: Int64 { 1_800_000_000_000 + schedule.now / 1000 + shift }
  }

  /// Chance that follows from the seed.
  private struct SeededSource: RandomSource, @unchecked Sendable {
    let schedule: Schedule

    func bytes(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8(truncatingIfNeeded: schedule.random.next()) }
    }
  }

  init(_ program: Program, in world: World) {
    (self.program, self.world) = (program, world)
    clock = ShiftedClock(schedule: world.schedule, shift: world.plan.shifts[program.place])
  }

  private func report(_ problem: String) {
    guard !program.isDead else { return }
    world.report("\(program.name): \(problem)")
  }

  // MARK: Life

  /// Starts it, and again until it could.
  func start() {
    world.schedule.start(program) {
      do {
        try await self.open()
        if self.program.isDead { await self.close() } else { self.work() }
      } catch {
        await self.close()
        guard !self.program.isDead else { return }
        self.expectFailure(error)
        self.world.schedule.after(300_000, as: self.program) { self.start() }
      }
    }
  }

  private func open() async throws {
    guard let location = PostgresLocation(Household.address) else {
      preconditionFailure("it is one")
    }
    var configuration = DatabaseConfiguration(
      .server(location),
      applicationID: Household.applicationID
    )
    configuration.readerCount = 1
    configuration.writesPerCommitMax = world.plan.writesPerCommit
    // The clock of the machine is none of the simulation's.
    configuration.commitIntervalMax = .seconds(3600)
    configuration.recentChangeCountMax = world.plan.recentChangeCount
    let database = try await Database.open(
      configuration,
      migrations: Household.migrations,
      clock: clock
    )
    self.database = database
    let memory = try await database.read { [self] tx in
      var owners: [String: Set<String>] = [:]
      for (house, person) in try tx.query(
        "SELECT house, person FROM owner",
        row: { ($0.text(0), $0.text(1)) }
      ) {
        owners[house, default: []].insert(person)
      }
      return Memory(
        revision: try tx.newestRevision(),
        owners: owners,
        formerGuests: Set(try tx.query("SELECT person FROM former_guest") { $0.text(0) })
      ) { self.report($0) }
    }
    try await database.attach(memory, after: memory.revision)
    self.memory = memory
    store = ServiceStore(
      database,
      of: "household",
      identifiers: IdentifierFactory(clock: clock, random: SeededSource(schedule: world.schedule)),
      metrics: MetricRegistry()
    )
    queue = HandOverQueue(
      table: "parcel",
      key: "name",
      pauses: 500...World.longestPause,
      lease: World.lease,
      clock: clock,
      random: SeededSource(schedule: world.schedule),
      logger: Logger(label: "storesim", level: .error, sink: Nobody(), limiter: nil)
    )
  }

  /// Nobody reads the log.
  private struct Nobody: LogSink {
    func write(_ line: [UInt8]) {}
    func flush() {}
  }

  func close() async {
    await database?.close()
    database = nil
  }

  private func work() {
    drainLater()
    watch()
  }

  /// The program is killed: what is left of it changes nothing.
  func kill() {
    program.isDead = true
    world.cluster.drop(program)
    world.schedule.start(program) { await self.close() }
  }

  // MARK: What it does for clients

  /// Carries out a wish, at most once for each request; the revision of its change.
  func carryOut(_ wish: Household.Wish, _ request: String) async throws -> Int64 {
    guard let database, let memory else { throw StoreError.unavailable("it starts") }
    let key = IdempotencyKey(caller: "client", key: request, method: "wish", request: [])
    let shift = program.name
    let reply = try await database.writeOnce(
      key,
      domain: "gatehouse.household",
      heads: wish.isUnordered ? .unordered([wish.head]) : .named([wish.head])
    ) { [clock] tx in
      var hasRevision = true
      switch wish {
      case .join(let house, let person): try Self.join(house, person, tx, memory)
      case .leave(let house, let person): try Self.leave(house, person, tx, memory)
      case .addPoints(let account, let amount):
        try Self.add(amount, to: account, request, tx)
        hasRevision = try wish.announce(tx)
      case .endStay(let person): try Self.endStay(of: person, tx, memory)
      case .send(let parcel):
        try tx.execute(
          "INSERT INTO parcel (name, attempts, due_at) VALUES (?, 0, ?)",
          .text(parcel),
          .integer(clock.now)
        )
        try tx.appendChange(kind: "parcel", subject: parcel, scope: "")
      }
      let revision = hasRevision ? tx.revision : 0
      return Reply(reason: shift, metadata: ["revision": String(revision)])
    }
    acknowledged.insert(request)
    return reply.metadata["revision"].flatMap { Int64($0) } ?? 0
  }

  private static func refusal(_ message: String) -> RPCError {
    RPCError(.failedPrecondition, message)
  }

  private static func join(
    _ house: String,
    _ person: String,
    _ tx: borrowing WriteTransaction,
    _ memory: Memory
  ) throws {
    try tx.rely(on: ConflictKey("house", house))
    guard memory.owners[house]?.contains(person) != true else { throw refusal("an owner already") }
    try tx.execute("INSERT INTO owner (house, person) VALUES (?, ?)", .text(house), .text(person))
    try tx.appendChange(
      kind: "owner.joined",
      subject: person,
      scope: house,
      touching: [ConflictKey("house", house)]
    )
  }

  /// The last owner stays: decided by memory alone.
  private static func leave(
    _ house: String,
    _ person: String,
    _ tx: borrowing WriteTransaction,
    _ memory: Memory
  ) throws {
    try tx.rely(on: ConflictKey("house", house))
    let owners = memory.owners[house, default: []]
    guard owners.contains(person) else { throw refusal("no owner") }
    guard owners.count > 1 else { throw refusal("the last owner stays") }
    try tx.execute("DELETE FROM owner WHERE house = ? AND person = ?", .text(house), .text(person))
    try tx.appendChange(
      kind: "owner.left",
      subject: person,
      scope: house,
      touching: [ConflictKey("house", house)]
    )
  }

  /// Decided by the store.
  private static func add(
    _ amount: Int64,
    to account: String,
    _ request: String,
    _ tx: borrowing WriteTransaction
  ) throws {
    let balance = try balance(of: account, tx)
    guard let balance, balance + amount >= 0 else { throw refusal("too few points") }
    try tx.execute(
      "INSERT INTO entry (request, account, amount) VALUES (?, ?, ?)",
      .text(request),
      .text(account),
      .integer(amount)
    )
    try tx.execute(
      "UPDATE account SET balance = ? WHERE name = ?",
      .integer(balance + amount),
      .text(account)
    )
    guard try self.balance(of: account, tx) == balance + amount else {
      throw refusal("points that are written are not there")
    }
  }

  private static func balance(
    of account: String,
    _ tx: borrowing WriteTransaction
  ) throws -> Int64? {
    try tx.first("SELECT balance FROM account WHERE name = ?", .text(account)) { $0.integer(0) }
  }

  private static func endStay(
    of person: String,
    _ tx: borrowing WriteTransaction,
    _ memory: Memory
  ) throws {
    try tx.rely(on: ConflictKey("guest", person))
    guard !memory.formerGuests.contains(person) else { throw refusal("gone already") }
    try tx.execute("INSERT INTO former_guest (person) VALUES (?)", .text(person))
    try tx.appendChange(
      kind: "guest.left",
      subject: person,
      scope: "",
      touching: [ConflictKey("guest", person)]
    )
  }

  /// Whether a person may come in, as memory says that has followed a revision.
  func admits(_ person: String, atLeast revision: Int64) async throws -> Bool {
    guard let database, let memory else { throw StoreError.unavailable("it starts") }
    if revision > database.revision { try await database.catchUp() }
    guard revision <= database.revision else { throw StoreError.unavailable("not reached") }
    return !memory.formerGuests.contains(person)
  }

  /// The requests that the store has entries or changes of; those that this program has acknowledged must be there.
  func entries() async throws -> Set<String> {
    guard let database else { throw StoreError.unavailable("it starts") }
    return Set(
      try await database.read { tx in try tx.query("SELECT request FROM entry") { $0.text(0) } }
    )
  }

  // MARK: What it does by itself

  private func drainLater() {
    world.schedule.after(Int64(world.schedule.number(100_000...900_000)), as: program) { [self] in
      guard !program.isDead else { return }
      defer { drainLater() }
      guard !isDraining, let store, let queue else { return }
      isDraining = true
      world.schedule.start(program) {
        self.drainStart = self.clock.now
        await queue.drain(store, waiting: { _ in }) { row in
          await self.handOver(row.key)
        }
        self.isDraining = false
      }
    }
  }

  private func handOver(_ parcel: String) async -> HandOverQueue.Outcome {
    let work = World.HandOver(leaseEnd: drainStart + World.lease, program: program)
    world.begin(work, of: parcel, now: clock.now)
    await world.schedule.sleep(Int64(world.schedule.number(1000...1_500_000)))
    world.end(work, of: parcel)
    guard !world.schedule.chance(0.2) else { return .postponed }
    return .settled { tx in
      try tx.execute("INSERT INTO receipt (parcel) VALUES (?)", .text(parcel))
    }
  }

  /// Follows the changes as watches do: each once, in order.
  private func watch() {
    world.schedule.start(program) { [self] in
      guard let database else { return }
      // One that comes back goes on where it was.
      var position = watched ?? database.revision
      do {
        for try await event in database.changes(after: position) {
          guard !program.isDead else { return }
          switch event {
          case .change(let change):
            if change.revision != position + 1 {
              report("a watch gets change \(change.revision) after \(position)")
            }
            position = change.revision
          case .resync(let revision): position = revision
          }
          watched = position
          await world.schedule.sleep(Int64(world.schedule.number(0...200_000)))
        }
      } catch {
        expectFailure(error)
        world.schedule.after(200_000, as: program) { if !self.program.isDead { self.watch() } }
      }
    }
  }

  /// Whether an error is one that a program has to live with.
  func expectFailure(_ error: any Error) {
    switch error {
    case StoreError.unavailable(let reason) where !reason.contains(": restart this program"): break
    case StoreError.cannotOpen: break
    default: report("an error that nothing explains: \(error)")
    }
  }

  // MARK: At the end

  /// How far it has come.
  var place: String {
    guard let database else { return "it is closed" }
    let watched = watched.map { "\($0)" } ?? "nothing"
    let followed = memory?.revision ?? 0
    return "store \(database.revision), memory \(followed), watch \(watched), \(database.condition)"
  }

  /// Whether it has heard of all changes, and works.
  func hasFollowed(_ revision: Int64) -> Bool {
    database?.revision == revision && memory?.revision == revision
      && watched ?? revision == revision
  }
}
