internal import ServiceKit

/// The work for a wrong password: the same for every account and for none.
///
/// Otherwise the time of a refusal says whether an address has an account, and one that nobody has signed in to for
/// long. So whatever a stored password takes is followed by what the others would have taken: a hash of our own as
/// costly as the costliest in the store, and one hash of each form that imported passwords have there.
struct PasswordWork: Hashable, Sendable {
  /// Forms of imported hashes that count, at most: each of them makes every wrong password slower.
  static let formCountMax = 4

  /// The costliest hash of our own.
  private(set) var own: PasswordCost
  /// Forms of imported hashes, in the order of their texts.
  private(set) var forms: [ForeignForm] = []

  /// One hash.
  enum Step: Hashable, Sendable {
    case own(PasswordCost)
    case foreign(ForeignForm)
  }

  /// The work where all passwords have hashes of one cost.
  init(_ own: PasswordCost) { self.own = own }

  /// Takes something in that the store has; whether there is room for it.
  @discardableResult
  mutating func include(_ step: Step) -> Bool {
    switch step {
    case .own(let cost):
      if cost.work > own.work { own = cost }
      return true
    case .foreign(let form):
      guard !forms.contains(form) else { return true }
      guard forms.count < Self.formCountMax else { return false }
      forms.append(form)
      forms.sort { $0.text < $1.text }
      return true
    }
  }

  /// The steps left after a step; nil stands for none.
  func rest(after step: Step?) -> [Step] {
    switch step {
    case nil: [.own(own)] + forms.map { .foreign($0) }
    case .own(let cost):
      (cost.supplement(to: own).map { [.own($0)] } ?? []) + forms.map { .foreign($0) }
    case .foreign(let form):
      [.own(own)] + forms.filter { $0 != form }.map { .foreign($0) }
    }
  }
}

extension StoredPassword {
  /// The step that checking a password against it takes; nil for next to nothing.
  var step: PasswordWork.Step? {
    switch self {
    case .own(let record), .wrapped(_, _, let record): .own(record.cost)
    case .foreign(let hash): hash.form.map { .foreign($0) }
    }
  }
}
