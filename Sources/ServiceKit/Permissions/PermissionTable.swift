internal import RPCKit

/// Kept answers by their questions: a hash table whose lookup makes no copy of what is asked.
///
/// Questions go by their fingerprints under a key of this process: no two have the same, whoever made
/// them up, and nobody can choose some that collide (see `KeyedFingerprint`). Places are probed one
/// after the other and never more than three quarters full.
struct PermissionTable {
  /// What a question is called here.
  typealias Name = KeyedFingerprint.Value

  /// A kept answer.
  final class Entry: Sendable {
    let name: Name
    let subject: String
    let decision: PermissionDecision
    let ancestors: [String]
    /// The number of the newest invalidation when its call began.
    let began: UInt64
    let expires: MonotonicInstant

    init(
      name: Name,
      subject: String,
      decision: PermissionDecision,
      ancestors: [String],
      began: UInt64,
      expires: MonotonicInstant
    ) {
      self.name = name
      self.subject = subject
      self.decision = decision
      self.ancestors = ancestors
      self.began = began
      self.expires = expires
    }
  }

  /// Small, so that the places of many answers fit into the processor's own memory: the name is
  /// looked at where the answer is, which is needed anyway.
  private struct Place {
    var word: UInt64 = 0
    /// The sequence at which the entry was last found to count; none reaches the largest number.
    var confirmed = UInt64.max
    var entry: Entry?
  }

  private var places = [Place](repeating: Place(), count: 16)
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
    let word = name.word
    var place = home(word)
    while let entry = places[place].entry {
      if places[place].word == word, entry.name == name { return place }
      place = (place + 1) & (places.count - 1)
    }
    return nil
  }

  /// The answer at a place that `find` gave.
  subscript(place: Int) -> Entry {
    guard let entry = places[place].entry else { preconditionFailure("this place is free") }
    return entry
  }

  /// The sequence that was last confirmed for a place; the largest number before the first.
  func confirmed(at place: Int) -> UInt64 { places[place].confirmed }

  /// Remembers that the entry at a place counts at a sequence.
  mutating func confirm(at place: Int, _ sequence: UInt64) { places[place].confirmed = sequence }

  /// Adds an answer, in the place of one to the same question.
  mutating func insert(_ entry: Entry) {
    if let place = find(entry.name) {
      places[place] = Place(word: entry.name.word, entry: entry)
      return
    }
    if (count + 1) * 4 > places.count * 3 { grow() }
    add(Place(word: entry.name.word, entry: entry))
    count += 1
  }

  /// Takes the answer at a place away.
  mutating func remove(at start: Int) {
    // Later ones move up, so that probing needs no gravestones (Knuth, volume 3, section 6.4,
    // algorithm R).
    let mask = places.count - 1
    var gap = start
    var place = start
    while true {
      place = (place + 1) & mask
      guard places[place].entry != nil else { break }
      let home = home(places[place].word)
      guard (place - home) & mask >= (place - gap) & mask else { continue }
      places[gap] = places[place]
      gap = place
    }
    places[gap] = Place()
    count -= 1
  }

  private func home(_ word: UInt64) -> Int {
    Int(truncatingIfNeeded: word ^ word >> 32) & (places.count - 1)
  }

  private mutating func grow() {
    let before = places
    places = [Place](repeating: Place(), count: before.count * 2)
    for place in before where place.entry != nil { add(place) }
  }

  private mutating func add(_ new: Place) {
    var place = home(new.word)
    while places[place].entry != nil { place = (place + 1) & (places.count - 1) }
    places[place] = new
  }
}
