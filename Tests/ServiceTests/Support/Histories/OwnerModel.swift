/// Who owns the portfolio of a history.
enum Owner: Int, CaseIterable, Sendable {
  case first, second, third
}

/// What is done with who owns it; at first only `first` does.
enum OwnerOperation: Hashable, Sendable {
  /// Somebody makes somebody an owner, for good or with an end that does not come.
  case give(Owner, by: Owner, ends: Bool)
  case revoke(Owner, by: Owner)
  case leave(Owner)
  /// An operator suspends an owner, or lifts that.
  case suspend(Owner)
  case resume(Owner)
  /// AuthService says that an account is disabled, or that it is not.
  case disable(Owner)
  case enable(Owner)
  /// An owner asks for the deletion of its account, or takes that back.
  case beginDeletion(Owner)
  case cancelDeletion(Owner)
}

/// The rules of who may cease to own something, as a page of the specification would say them: no store, no
/// policy.
struct OwnerModel: SequentialModel {
  struct State: Hashable {
    /// Owners, and whether theirs has an end.
    var ends: [Owner: Bool] = [.first: false]
    var suspended: Set<Owner> = []
    var disabled: Set<Owner> = []
    var leaving: Set<Owner> = []

    func mayAct(_ owner: Owner) -> Bool { ends[owner] != nil && !suspended.contains(owner) }

    /// Whether somebody else can act for good.
    func hasOther(than owner: Owner) -> Bool {
      Owner.allCases.contains {
        $0 != owner && ends[$0] == false && !suspended.contains($0) && !disabled.contains($0)
          && !leaving.contains($0)
      }
    }
  }

  typealias Call = RecordedCall<OwnerOperation, Bool>

  let initial = State()

  func isInert(_ call: Call) -> Bool { call.answer == false }

  func state(after state: State, _ call: Call) -> State? {
    var after = state
    let isDone = apply(call.operation, to: &after)
    return call.answer == nil || call.answer == isDone ? after : nil
  }

  /// Does an operation; whether it was done.
  private func apply(_ operation: OwnerOperation, to state: inout State) -> Bool {
    switch operation {
    case .give(let owner, let giver, let ends):
      guard state.mayAct(giver) else { return false }
      // All ends are one instant, which does not come: who has it may give until then.
      if !ends, state.ends[giver] != false { return false }
      if state.ends[owner] == false, ends, !state.hasOther(than: owner) { return false }
      state.ends[owner] = ends
    case .revoke(let owner, let remover):
      guard state.mayAct(remover) else { return false }
      return remove(owner, from: &state)
    case .leave(let owner):
      guard !state.suspended.contains(owner) else { return false }
      return remove(owner, from: &state)
    case .suspend(let owner): state.suspended.insert(owner)
    case .resume(let owner): state.suspended.remove(owner)
    case .disable(let owner): state.disabled.insert(owner)
    case .enable(let owner): state.disabled.remove(owner)
    case .beginDeletion(let owner):
      guard state.ends[owner] == nil || state.hasOther(than: owner) else { return false }
      state.leaving.insert(owner)
    case .cancelDeletion(let owner): state.leaving.remove(owner)
    }
    return true
  }

  private func remove(_ owner: Owner, from state: inout State) -> Bool {
    guard state.ends[owner] != nil else { return true }
    guard state.hasOther(than: owner) else { return false }
    state.ends[owner] = nil
    return true
  }
}
