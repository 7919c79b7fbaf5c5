import ServiceKit

@testable import EntitlementService
@testable import ServiceTesting

/// What is bought, as a person would say it, to compare the service with.
struct PurchaseModel {
  static let hour = TestTime.hour

  /// A period that the store has signed.
  struct Period {
    var signedAt: Int64
    var isRefunded: Bool
  }

  /// A purchase and its renewals: period n lasts from n hours to n + 1 hours after `start`.
  struct Line {
    let start: Int64
    let isConsumable: Bool
    /// The user whom the application named.
    let named: String?
    var periods: [Int64: Period] = [:]
    var subject: Subject?
    var buyer = ""
    var endsAt: Int64?
    var isGranted = false
    var transferCount: Int64 = 0
    var transfersSince: Int64 = 0

    func begin(_ number: Int64) -> Int64 { start + number * PurchaseModel.hour }
    private func end(_ number: Int64) -> Int64 { begin(number + 1) }

    /// The newest period and the one before it.
    private var known: [Int64] { periods.keys.sorted().suffix(2).reversed() }

    /// Whether it counts for its subject at an instant.
    func counts(at now: Int64) -> Bool {
      guard !isConsumable else { return periods[0]?.isRefunded == false }
      var known = known
      if let endsAt, known.count == 2, begin(known[0]) >= endsAt { known.removeFirst() }
      func isActive(_ number: Int64) -> Bool {
        periods[number]?.isRefunded == false && now < min(end(number), endsAt ?? .max)
      }
      guard let newest = known.first else { return false }
      if now < begin(newest), known.count == 2, isActive(known[1]) { return true }
      return isActive(newest)
    }

    /// Takes what the store says of a period; a new one does not count without the buyer's right.
    mutating func take(_ number: Int64, _ period: Period, mayBuy: (String, Subject) -> Bool) {
      let newest = periods.keys.max()
      if let known = periods[number] {
        // Of two signed at the same time, the one that takes away.
        guard known.signedAt != period.signedAt || (!known.isRefunded && period.isRefunded),
          known.signedAt <= period.signedAt
        else { return }
      }
      // The service forgets what is older than the two newest.
      if periods[number] == nil, periods.count >= 2, number < known[1] { return }
      periods[number] = period
      for old in periods.keys where !known.contains(old) { periods[old] = nil }
      guard let newest, number > newest, let subject, subject.kind != .user, endsAt == nil,
        !mayBuy(buyer, subject)
      else { return }
      endsAt = end(newest)
    }

    mutating func countTransfer(at now: Int64) -> Bool {
      if !(0..<TestTime.day).contains(now - transfersSince) {
        (transfersSince, transferCount) = (now, 0)
      }
      guard transferCount < 3 else { return false }
      transferCount += 1
      return true
    }

    mutating func bind(_ subject: Subject, _ buyer: String) {
      (self.subject, self.buyer, endsAt, isGranted) = (subject, buyer, nil, true)
    }
  }

  var lines: [Line]
  /// Who may buy for which entity.
  var rights: Set<[String]> = []

  func mayBuy(_ user: String, _ subject: Subject) -> Bool {
    subject.kind == .user ? subject.id == user : rights.contains([user, subject.id])
  }

  /// A device hands a period in; nothing remains of what is refused.
  mutating func claim(
    _ index: Int,
    _ number: Int64,
    _ period: Period,
    by user: String,
    for subject: Subject?,
    isRestore: Bool,
    at now: Int64
  ) {
    var line = lines[index]
    if let subject, !mayBuy(user, subject) { return }
    guard line.named == nil || line.named == user else { return }
    let target = subject ?? .user(user)
    let isMet = subject.map { $0 == line.subject } ?? (line.buyer == user)
    if line.subject != nil, isMet {
      let isShown = subject != nil && line.buyer == user
      if isShown { line.endsAt = nil }
      line.take(number, period) { isShown || mayBuy($0, $1) }
    } else if line.subject == nil {
      guard !(line.isConsumable && line.isGranted) else { return }
      line.take(number, period) { _, _ in true }
      line.bind(target, user)
    } else {
      guard line.buyer != user, isRestore, !line.isConsumable, line.subject?.kind == .user,
        target.kind == .user, line.countTransfer(at: now)
      else { return }
      line.take(number, period) { _, _ in true }
      line.bind(target, user)
    }
    lines[index] = line
  }

  /// The store reports a period.
  mutating func report(_ index: Int, _ number: Int64, _ period: Period) {
    let rights = rights
    lines[index].take(number, period) { rights.contains([$0, $1.id]) }
    if lines[index].subject == nil, let named = lines[index].named {
      lines[index].bind(.user(named), named)
    }
  }

  mutating func move(_ index: Int, to subject: Subject, by user: String, at now: Int64) {
    guard lines[index].subject != nil, lines[index].buyer == user, mayBuy(user, subject) else {
      return
    }
    if lines[index].subject != subject {
      guard !lines[index].isConsumable, lines[index].countTransfer(at: now) else { return }
    }
    lines[index].bind(subject, user)
  }

  /// Whether a subject has the tier that is sold.
  func hasTier(_ subject: Subject, at now: Int64) -> Bool {
    lines.contains { !$0.isConsumable && $0.subject == subject && $0.counts(at: now) }
  }

  /// The points of a subject.
  func points(_ subject: Subject) -> Int64 {
    Int64(lines.filter { $0.isConsumable && $0.subject == subject && $0.counts(at: 0) }.count) * 100
  }
}
