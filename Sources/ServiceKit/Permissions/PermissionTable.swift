internal import RPCKit

/// Kept answers by their questions: a hash table whose lookup makes no copy of what is asked.
///
/// Questions are compared byte by byte, field by field: answers of different questions cannot be mixed
/// up, whatever the identifiers look like. The hash takes a tenth of the time of the standard one; its
/// key is this process's own, so that nobody can choose identifiers that collide (see
/// `KeyedFingerprint`). Places are probed one after the other and never more than half full.
struct PermissionTable {
  /// A kept answer.
  final class Entry: Sendable {
    let subject: String
    let action: String
    let entity: String
    let hash: UInt64
    let decision: PermissionDecision
    let ancestors: [String]
    /// The number of the newest invalidation when its call began.
    let began: UInt64
    let expires: MonotonicInstant

    init(
      subject: String,
      action: String,
      entity: String,
      decision: PermissionDecision,
      ancestors: [String],
      began: UInt64,
      expires: MonotonicInstant
    ) {
      self.subject = subject
      self.action = action
      self.entity = entity
      hash = PermissionTable.hash(subject, action, entity)
      self.decision = decision
      self.ancestors = ancestors
      self.began = began
      self.expires = expires
    }
  }

  private struct Place {
    var hash: UInt64 = 0
    /// The sequence at which the entry was last found to count; none reaches the largest number.
    var confirmed = UInt64.max
    var entry: Entry?
  }

  private var places = [Place](repeating: Place(), count: 16)
  /// How many entries there are.
  private(set) var count = 0

  private static let fingerprint = KeyedFingerprint(byteCountMax: 128)

  /// The hash of a question.
  static func hash(_ subject: String, _ action: String, _ entity: String) -> UInt64 {
    // An odd number between them, so that the same text counts differently in each place.
    let mixed = hash(subject) &* 0x9E37_79B9_7F4A_7C15 ^ hash(action)
    return mixed &* 0x9E37_79B9_7F4A_7C15 ^ hash(entity)
  }

  @inline(__always)
  private static func hash(_ text: String) -> UInt64 {
    let bytes = text.utf8.span
    guard bytes.count <= fingerprint.byteCountMax else {
      return UInt64(truncatingIfNeeded: text.hashValue)
    }
    return fingerprint.word(of: bytes)
  }

  /// Where the answer to a question is; good until the next change.
  func find(_ subject: String, _ action: String, _ entity: String, hash: UInt64) -> Int? {
    var place = home(hash)
    while let entry = places[place].entry {
      if places[place].hash == hash, entry.entity == entity, entry.subject == subject,
        entry.action == action
      {
        return place
      }
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
    if let place = find(entry.subject, entry.action, entry.entity, hash: entry.hash) {
      places[place] = Place(hash: entry.hash, entry: entry)
      return
    }
    if (count + 1) * 2 > places.count { grow() }
    add(Place(hash: entry.hash, entry: entry))
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
      let home = home(places[place].hash)
      guard (place - home) & mask >= (place - gap) & mask else { continue }
      places[gap] = places[place]
      gap = place
    }
    places[gap] = Place()
    count -= 1
  }

  private func home(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash ^ hash >> 32) & (places.count - 1)
  }

  private mutating func grow() {
    let before = places
    places = [Place](repeating: Place(), count: before.count * 2)
    for place in before where place.entry != nil { add(place) }
  }

  private mutating func add(_ new: Place) {
    var place = home(new.hash)
    while places[place].entry != nil { place = (place + 1) & (places.count - 1) }
    places[place] = new
  }
}
