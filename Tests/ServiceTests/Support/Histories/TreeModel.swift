/// Who acts in the small house of a history.
enum TreeUser: Int, CaseIterable, Sendable {
  /// Owns everything, always.
  case owner
  case firstTenant, secondTenant
  case firstGuest, secondGuest

  static let tenants = [firstTenant, secondTenant]
  static let guests = [firstGuest, secondGuest]
}

/// What is done in it: two flats with a door each, at first, and nobody in them.
enum TreeOperation: Hashable, Sendable {
  /// Whether a user may unlock a door.
  case check(TreeUser, door: Int)
  /// A user unlocks a door.
  case operate(TreeUser, door: Int)
  case grantPass(by: TreeUser, to: TreeUser, door: Int)
  case revokePass(String, by: TreeUser)
  case listPasses(by: TreeUser, door: Int)
  /// Whether one pass is on such a list; see `TreeModel.parts`.
  case sees(TreeUser, pass: String, door: Int)
  /// The owner lets a tenant in, or puts one out.
  case addTenant(TreeUser, flat: Int)
  case removeTenant(TreeUser, flat: Int)
  /// The owner moves a door to a flat.
  case move(door: Int, flat: Int)
  /// An operator suspends a user, or lifts that.
  case suspend(TreeUser)
  case resume(TreeUser)

  /// Whether it changes nothing, so that one whose answer was lost need not be explained.
  var isRead: Bool {
    switch self {
    case .check, .listPasses, .sees: true
    default: false
    }
  }
}

/// What was answered.
enum TreeAnswer: Hashable, Sendable {
  /// It is so, or was done.
  case yes
  /// It is not so, was not allowed, or there was nothing to do.
  case no
  /// This pass was made.
  case pass(String)
  /// These are there.
  case passes([String])
}

/// The rules of the house, as a page of the specification would say them: no engine, no policy.
struct TreeModel: SequentialModel {
  struct Tenancy: Hashable {
    let user: TreeUser
    let flat: Int
  }

  struct Pass: Hashable {
    let holder: TreeUser
    let lender: TreeUser
    let door: Int
  }

  struct State: Hashable {
    var flatOfDoor = [0, 1]
    var tenancies: Set<Tenancy> = []
    var passes: [String: Pass] = [:]
    var suspended: Set<TreeUser> = []

    /// The owner and those who live where the door is.
    func mayLend(_ user: TreeUser, _ door: Int) -> Bool {
      guard !suspended.contains(user) else { return false }
      return user == .owner || tenancies.contains(Tenancy(user: user, flat: flatOfDoor[door]))
    }

    func mayUnlock(_ user: TreeUser, _ door: Int) -> Bool {
      guard !suspended.contains(user) else { return false }
      return mayLend(user, door) || passes.values.contains { $0.holder == user && $0.door == door }
    }
  }

  typealias Call = RecordedCall<TreeOperation, TreeAnswer>

  let initial = State()

  func state(after state: State, _ call: Call) -> State? {
    var after = state
    let answer = apply(call, to: &after)
    return call.answer == nil || call.answer == answer ? after : nil
  }

  func isInert(_ call: Call) -> Bool {
    if case .operate = call.operation { return true }
    return call.operation.isRead || call.answer == .no
  }

  /// Does an operation; what must be answered.
  private func apply(_ call: Call, to state: inout State) -> TreeAnswer {
    switch call.operation {
    case .check(let user, let door), .operate(let user, let door):
      return state.mayUnlock(user, door) ? .yes : .no
    case .grantPass(let lender, let holder, let door):
      guard state.mayLend(lender, door) else { return .no }
      // A lost one has some name that nobody knows.
      var name = "lost \(call.id)"
      if case .pass(let id) = call.answer { name = id }
      state.passes[name] = Pass(holder: holder, lender: lender, door: door)
      return .pass(name)
    case .revokePass(let id, let user):
      guard let pass = state.passes[id], pass.holder == user || state.mayLend(user, pass.door)
      else { return .no }
      state.passes[id] = nil
      return .yes
    case .listPasses(let user, let door): return state.mayLend(user, door) ? .yes : .no
    case .sees(let user, let id, let door):
      return state.passes[id] != nil && state.mayLend(user, door) ? .yes : .no
    case .addTenant(let user, let flat):
      state.tenancies.insert(Tenancy(user: user, flat: flat))
      return .yes
    case .removeTenant(let user, let flat):
      guard state.tenancies.remove(Tenancy(user: user, flat: flat)) != nil else { return .no }
      let doors = state.flatOfDoor
      state.passes = state.passes.filter { $1.lender != user || doors[$1.door] != flat }
      return .yes
    case .move(let door, let flat):
      guard state.flatOfDoor[door] != flat else { return .yes }
      state.flatOfDoor[door] = flat
      state.passes = state.passes.filter { $1.door != door }
      return .yes
    case .suspend(let user):
      state.suspended.insert(user)
      return .yes
    case .resume(let user): return state.suspended.remove(user) == nil ? .no : .yes
    }
  }

  /// The calls of a history as they are explained.
  ///
  /// A list reads memory and store one after the other, so it is no picture of one instant, and does not
  /// claim to be: each pass by itself is on it or not as of some instant of the call. Reads whose
  /// answers were lost are left out.
  static func parts(of calls: [Call]) -> [Call] {
    var known: [Int: Set<String>] = [:]
    for call in calls {
      guard case .grantPass(_, _, let door) = call.operation, case .pass(let id) = call.answer
      else { continue }
      known[door, default: []].insert(id)
    }
    var parts: [Call] = []
    func add(_ call: Call, _ operation: TreeOperation, _ answer: TreeAnswer?) {
      parts.append(
        Call(
          id: parts.count,
          operation: operation,
          answer: answer,
          began: call.began,
          ended: call.ended
        )
      )
    }
    for call in calls where !(call.operation.isRead && call.answer == nil) {
      guard case .listPasses(let user, let door) = call.operation,
        case .passes(let listed) = call.answer
      else {
        add(call, call.operation, call.answer)
        continue
      }
      for id in known[door, default: []].sorted() {
        add(call, .sees(user, pass: id, door: door), listed.contains(id) ? .yes : .no)
      }
    }
    return parts
  }
}
