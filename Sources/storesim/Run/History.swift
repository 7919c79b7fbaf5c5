import ServiceKit

/// The rows of the store in the end.
final class History: @unchecked Sendable {
  var isRead = false
  var changes: [Change] = []
  var owners: [String: Set<String>] = [:]
  var formerGuests: Set<String> = []
  /// Entries of accounts in their order.
  var entries: [(request: String, account: String, amount: Int64)] = []
  var balances: [String: Int64] = [:]
  var receipts: [String] = []
}

extension Replica {
  /// Reads all of the store.
  func read(_ history: History) async throws {
    guard let database else { throw StoreError.unavailable("it has ended") }
    try await database.read { tx in
      _ = try tx.forEachChange(after: 0) { history.changes += $0 }
      for (house, person) in try tx.query(
        "SELECT house, person FROM owner",
        row: { ($0.text(0), $0.text(1)) }
      ) {
        history.owners[house, default: []].insert(person)
      }
      history.formerGuests = Set(try tx.query("SELECT person FROM former_guest") { $0.text(0) })
      history.entries = try tx.query("SELECT request, account, amount FROM entry ORDER BY number") {
        ($0.text(0), $0.text(1), $0.integer(2))
      }
      for (name, balance) in try tx.query(
        "SELECT name, balance FROM account",
        row: { ($0.text(0), $0.integer(1)) }
      ) {
        history.balances[name] = balance
      }
      history.receipts = try tx.query("SELECT parcel FROM receipt ORDER BY number") { $0.text(0) }
    }
  }
}

/// Compares the store with what programs said and what they know.
final class Check {
  private(set) var problems: [String] = []
  private let world: World
  private let history: History

  init(_ world: World, _ history: History) {
    (self.world, self.history) = (world, history)
    checkChanges()
    checkAnswers()
    checkPoints()
    checkParcels()
    for replica in world.replicas { checkMemory(replica) }
  }

  private func expect(_ holds: Bool, _ problem: @autoclosure () -> String) {
    if !holds { problems.append(problem()) }
  }

  private func checkChanges() {
    var owners = Household.firstOwners
    var guests: Set<String> = []
    var time = Int64.min
    for (place, change) in history.changes.enumerated() {
      expect(
        change.revision == Int64(place) + 1,
        "change \(change.revision) is number \(place + 1)"
      )
      expect(change.recordedAt >= time, "change \(change.revision) is older than the one before it")
      time = change.recordedAt
      let isEmpty = Memory.apply(change, &owners, &guests)
      expect(!isEmpty, "\(change.scope) has lost its last owner by change \(change.revision)")
    }
    expect(history.owners == owners, "owners are \(history.owners), and by the changes \(owners)")
    expect(history.formerGuests == guests, "former guests differ from the changes")
  }

  private func checkAnswers() {
    for (request, answer) in world.acknowledged.sorted(by: { $0.key < $1.key })
    where answer.revision > 0 {
      let place = Int(answer.revision) - 1
      guard history.changes.indices.contains(place) else {
        problems.append("\(request) was acknowledged, and its change \(answer.revision) is lost")
        continue
      }
      let change = history.changes[place]
      let (kind, subject) = answer.wish.change
      expect(
        change.kind == kind && change.subject == subject,
        "\(request) was acknowledged as change \(answer.revision), which is \(change.kind) \(change.subject)"
      )
    }
    let kinds = history.changes.map { "\($0.kind) \($0.subject)" }
    for (person, _) in world.formerGuests {
      expect(kinds.filter { $0 == "guest.left \(person)" }.count == 1, "\(person) has left twice")
    }
  }

  private func checkPoints() {
    var balances: [String: Int64] = [:]
    for account in Household.accounts { balances[account] = World.firstBalance }
    var counts: [String: Int] = [:]
    for entry in history.entries {
      counts[entry.request, default: 0] += 1
      balances[entry.account, default: 0] += entry.amount
      expect(
        balances[entry.account, default: 0] >= 0,
        "\(entry.account) was negative by \(entry.request)"
      )
    }
    for (request, count) in counts.sorted(by: { $0.key < $1.key }) {
      expect(count == 1, "\(request) was done \(count) times")
      expect(!world.refused.contains(request), "\(request) was refused and done")
    }
    for account in Household.accounts {
      let announced = history.changes.filter { $0.kind == "points" && $0.subject == account }.count
      let made = history.entries.filter { $0.account == account }.count
      expect(announced == made, "\(account) has \(made) entries, and \(announced) were announced")
    }
    for request in world.pointRequests.sorted() {
      expect(counts[request] != nil, "\(request) was acknowledged and is lost")
    }
    expect(
      history.balances == balances,
      "balances are \(history.balances), and by the entries \(balances)"
    )
  }

  private func checkParcels() {
    var counts: [String: Int] = [:]
    for parcel in history.receipts { counts[parcel, default: 0] += 1 }
    for (parcel, count) in counts.sorted(by: { $0.key < $1.key }) {
      expect(count == 1, "\(parcel) was handed over \(count) times")
    }
    for (request, answer) in world.acknowledged.sorted(by: { $0.key < $1.key }) {
      guard case .send(let parcel) = answer.wish else { continue }
      expect(counts[parcel] == 1, "\(parcel) of \(request) was never handed over")
    }
  }

  private func checkMemory(_ replica: Replica) {
    guard let memory = replica.memory else { return }
    let name = replica.program.name
    expect(memory.owners == history.owners, "\(name) knows other owners than the store")
    expect(memory.formerGuests == history.formerGuests, "\(name) knows other guests than the store")
    expect(
      memory.changes == Array(history.changes.suffix(memory.changes.count)),
      "\(name) has followed other changes than those of the store"
    )
  }
}

extension Household.Wish {
  /// The kind and the subject of its change.
  fileprivate var change: (kind: String, subject: String) {
    switch self {
    case .join(_, let person): ("owner.joined", person)
    case .leave(_, let person): ("owner.left", person)
    case .addPoints(let account, _): ("points", account)
    case .endStay(let person): ("guest.left", person)
    case .send(let parcel): ("parcel", parcel)
    }
  }
}
