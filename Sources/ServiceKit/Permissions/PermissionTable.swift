internal import PackedTables
internal import RPCKit

/// Kept answers by their questions: a hash table whose lookup makes no copy of what is asked.
///
/// Questions go by their fingerprints under a key of this process: no two have the same, no matter who made
/// them up, and nobody can choose some that collide (see `KeyedFingerprint`). Places are probed one
/// after the other and never more than three quarters full.
struct PermissionTable {
  /// The name of a question here.
  typealias Name = KeyedFingerprint.Value

  /// An answer, and what it depends on.
  final class Answer: Sendable {
    let decision: PermissionDecision
    let subject: String
    /// The entity and those above it.
    let ancestors: [String]
    /// The number of the newest invalidation when its call began.
    let began: UInt64

    init(
      _ decision: PermissionDecision,
      subject: String,
      ancestors: [String],
      began: UInt64
    ) {
      self.decision = decision
      self.subject = subject
      self.ancestors = ancestors
      self.began = began
    }
  }

  /// A kept answer, in 64 bytes.
  ///
  /// All that is needed of an answer which allows and is used lies side by side, since each other
  /// part of memory that is looked at costs as much as the whole search.
  struct Entry {
    let name: Name
    let expires: MonotonicInstant
    /// The sequence at which it was last found to count; none reaches the largest number.
    fileprivate(set) var confirmed = UInt64.max
    let answer: Answer
    private let isAllowing: Bool

    init(name: Name, expires: MonotonicInstant, _ answer: Answer) {
      self.name = name
      self.expires = expires
      self.answer = answer
      isAllowing = answer.decision == .allowing
    }

    /// The decision of the answer.
    ///
    /// Few look at what it says when it allows: counting one more user of what is elsewhere in memory
    /// would take longer than saying it again.
    var decision: PermissionDecision { isAllowing ? .allowing : answer.decision }
  }

  private var places = [Entry?](repeating: nil, count: 16)
  /// How many entries there are.
  private(set) var count = 0

  private static let fingerprint = KeyedFingerprint(byteCountMax: 3 * 128)

  /// The name of a question; nil when one of its parts has more than 128 bytes, as no identifier of
  /// ours and no action has: such a question is not kept.
  static func name(_ subject: String, _ action: String, _ entity: String) -> Name? {
    let (subject, action, entity) = (subject.utf8.span, action.utf8.span, entity.utf8.span)
    let longest = max(subject.count, action.count, entity.count)
    guard longest <= fingerprint.thirdByteCountMax else { return nil }
    return fingerprint.value(of: subject, action, entity)
  }

  /// Where the answer to a question is; good until the next change.
  func find(_ name: Name) -> Int? {
    var place = home(name)
    while let found = places[place]?.name {
      if found == name { return place }
      place = (place + 1) & (places.count - 1)
    }
    return nil
  }

  /// The answer at a place that `find` gave.
  subscript(place: Int) -> Entry {
    guard let entry = places[place] else { preconditionFailure("this place is free") }
    return entry
  }

  /// The decision at a place if it counts at a sequence and at a time, as far as that can be
  /// decided without looking at what it depends on.
  ///
  /// Not by copying the entry: counting one more user of what it refers to takes as long as the rest.
  func decision(
    at place: Int,
    confirmed sequence: UInt64,
    _ now: MonotonicInstant
  ) -> PermissionDecision? {
    guard places[place]?.confirmed == sequence, let expires = places[place]?.expires, now < expires
    else { return nil }
    return places[place]?.decision
  }

  /// Remembers that the entry at a place counts at a sequence.
  mutating func confirm(at place: Int, _ sequence: UInt64) { places[place]?.confirmed = sequence }

  /// Adds an answer, in the place of one to the same question.
  mutating func insert(_ entry: Entry) {
    if let place = find(entry.name) {
      places[place] = entry
      return
    }
    if (count + 1) * 4 > places.count * 3 { grow() }
    add(entry)
    count += 1
  }

  /// Takes the answer at a place away.
  mutating func remove(at place: Int) {
    freePlace(place)
    count -= 1
  }

  private func home(_ name: Name) -> Int {
    let word = name.word
    return Int(truncatingIfNeeded: word ^ word >> 32) & (places.count - 1)
  }

  private mutating func grow() {
    let before = places
    places = [Entry?](repeating: nil, count: before.count * 2)
    for case let entry? in before { add(entry) }
  }

  private mutating func add(_ entry: Entry) {
    var place = home(entry.name)
    while places[place] != nil { place = (place + 1) & (places.count - 1) }
    places[place] = entry
  }
}

extension PermissionTable: LinearProbing {
  var placeCount: Int { places.count }

  func home(ofPlace place: Int) -> Int? { (places[place]?.name).map { home($0) } }

  mutating func move(from place: Int, to other: Int) { places[other] = places[place] }

  mutating func clear(_ place: Int) { places[place] = nil }
}

extension PermissionDecision {
  /// The decision of nearly every answer that somebody asks for again.
  fileprivate static var allowing: PermissionDecision {
    PermissionDecision(isAllowed: true, reason: "ALLOWED")
  }
}
