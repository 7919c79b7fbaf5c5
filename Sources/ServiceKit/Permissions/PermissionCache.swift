internal import RPCKit

/// Answers of TenancyService that a service keeps, and when it must stop believing them.
///
/// Pure bookkeeping: no call, clock or lock. Time is monotonic, because a cache must not live longer
/// when somebody sets the clock back.
///
/// Each invalidation gets the next number of a sequence, and each answer remembers the number that
/// was the newest when its call began. An answer counts while no later invalidation touches its
/// subject, an entity above its own, or everything. So a call that began before an invalidation can
/// come back after it and be stored: nobody will use it.
struct PermissionCache: LeasedAnswers {
  /// The question.
  struct Key: Hashable, Sendable {
    let subject: String
    let action: String
    let entity: String

    /// The name in the tables; nil when it is too long to be kept.
    var name: PermissionTable.Name? { PermissionTable.name(subject, action, entity) }
  }

  /// The number of the newest invalidation when a call began.
  struct Ticket: Equatable {
    fileprivate let sequence: UInt64
  }

  typealias Answer = LeasedAnswer<PermissionDecision>

  /// Two generations: what was used since the last turn, and what was used before it.
  ///
  /// When the young are too many the old are forgotten. That keeps memory bounded, and what is used
  /// in it.
  private var young = PermissionTable()
  private var old = PermissionTable()
  private let entryCountMax: Int

  private var sequence: UInt64 = 0
  private var everythingTouched: UInt64 = 0
  private var subjectsTouched: [String: UInt64] = [:]
  private var subtreesTouched: [String: UInt64] = [:]
  private var lease: Lease

  init(entryCountMax: Int, lease: Duration) {
    self.entryCountMax = max(2, entryCountMax)
    self.lease = Lease(lease)
  }

  /// Kept answers, those included that no longer count.
  var count: Int { young.count + old.count }

  /// For a call that begins now.
  var ticket: Ticket { Ticket(sequence: sequence) }

  /// Whether nothing has touched an answer since the call that brought it began with `ticket`.
  func isCurrent(_ ticket: Ticket, subject: String, ancestors: [String]) -> Bool {
    counts(began: ticket.sequence, subject: subject, ancestors: ancestors)
  }

  /// The answer for `key`.
  mutating func answer(_ key: Key, at now: MonotonicInstant) -> Answer {
    answer(key.name, at: now)
  }

  /// The answer for the question with a name; none for one that has no name.
  mutating func answer(_ name: PermissionTable.Name?, at now: MonotonicInstant) -> Answer {
    guard let name else { return .unknown }
    guard let place = young.find(name) else { return olderAnswer(name, at: now) }
    if let decision = young.decision(at: place, confirmed: sequence, now) {
      return lease.isLive(at: now) ? .known(decision) : .doubtful
    }
    let entry = young[place]
    guard now < entry.expires, counts(entry.answer) else {
      young.remove(at: place)
      return .unknown
    }
    young.confirm(at: place, sequence)
    return lease.isLive(at: now) ? .known(entry.decision) : .doubtful
  }

  /// The answer that was used before the last turn only: it becomes young again when it is used.
  private mutating func olderAnswer(
    _ name: PermissionTable.Name,
    at now: MonotonicInstant
  ) -> Answer {
    guard let place = old.find(name) else { return .unknown }
    let entry = old[place]
    guard now < entry.expires, counts(entry.answer) else {
      old.remove(at: place)
      return .unknown
    }
    guard lease.isLive(at: now) else { return .doubtful }
    old.remove(at: place)
    insert(entry)
    return .known(entry.decision)
  }

  /// Keeps an answer whose call began with `ticket`, until `expires`.
  mutating func store(
    _ decision: PermissionDecision,
    ancestors: [String],
    for key: Key,
    _ ticket: Ticket,
    expires: MonotonicInstant
  ) {
    guard let name = key.name else { return }
    let entry = PermissionTable.Entry(
      name: name,
      expires: expires,
      .init(decision, subject: key.subject, ancestors: ancestors, began: ticket.sequence)
    )
    guard counts(entry.answer) else { return }
    if let place = old.find(name) { old.remove(at: place) }
    insert(entry)
  }

  private mutating func insert(_ entry: PermissionTable.Entry) {
    young.insert(entry)
    guard young.count > entryCountMax / 2 else { return }
    old = young
    young = PermissionTable()
  }

  private func counts(_ answer: PermissionTable.Answer) -> Bool {
    counts(began: answer.began, subject: answer.subject, ancestors: answer.ancestors)
  }

  private func counts(began: UInt64, subject: String, ancestors: [String]) -> Bool {
    began >= everythingTouched && began >= subjectsTouched[subject, default: 0]
      && ancestors.allSatisfy { began >= subtreesTouched[$0, default: 0] }
  }

  // MARK: - Invalidation

  /// Nothing of `subject` counts.
  mutating func forget(subject: String) {
    sequence += 1
    subjectsTouched[subject] = sequence
    boundMarks()
  }

  /// Nothing of `root` and what is below it counts.
  mutating func forget(subtree root: String) {
    sequence += 1
    subtreesTouched[root] = sequence
    boundMarks()
  }

  /// Nothing counts.
  mutating func forgetAll() {
    sequence += 1
    everythingTouched = sequence
    young = PermissionTable()
    old = PermissionTable()
    subjectsTouched = [:]
    subtreesTouched = [:]
  }

  /// Marks of invalidations must not grow without bound; giving all of them up costs one flush.
  private mutating func boundMarks() {
    if subjectsTouched.count + subtreesTouched.count > entryCountMax { forgetAll() }
  }

  /// Whether the push stream was alive a short while ago, so that answers are used.
  func isLeased(at now: MonotonicInstant) -> Bool { lease.isLive(at: now) }

  /// The push stream is alive: answers may be used for the length of the lease.
  mutating func extendLease(at now: MonotonicInstant) { lease.extend(at: now) }
}

/// A decision of TenancyService, as far as a service that relies on it needs it.
public struct PermissionDecision: Hashable, Sendable {
  /// Whether it is allowed.
  public var isAllowed: Bool
  /// Why, as in `tenancy.v1.Reason` without its prefix: `ALLOWED`, `NO_ASSOCIATION`.
  public var reason: String
  /// Roles that would allow it.
  public var sufficientRoles: [String]

  /// Makes a decision.
  public init(isAllowed: Bool, reason: String, sufficientRoles: [String] = []) {
    self.isAllowed = isAllowed
    self.reason = reason
    self.sufficientRoles = sufficientRoles
  }
}
