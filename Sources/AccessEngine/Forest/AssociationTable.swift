internal import PackedTables

/// All associations in memory, found by subject and entity, by subject, or by entity.
///
/// Rows lie in one array, each under the handle of its identifier, and are chained by number; freed rows
/// are used again. The hash table has one place per pair of subject and entity, linear probing, and is
/// never more than half full.
struct AssociationTable: Sendable {
  /// One association.
  struct Row: Sendable, BitwiseCopyable {
    var subject: UInt32
    var entity: UInt32
    var role: RoleID
    /// Whether its variant is not its own, but stands for its role in the whole tenant.
    fileprivate(set) var isReplaced = false
    /// The number of its recurring window; 0 is none.
    fileprivate(set) var recurring: UInt32 = 0
    /// Valid from here, in milliseconds since 1970.
    var validFrom: Int64
    /// Valid until just before here.
    var validUntil: Int64
    /// The next row of the same subject and entity, + 1; 0 is none.
    ///
    /// So for the others.
    fileprivate(set) var nextOfPair: UInt32 = 0
    fileprivate(set) var nextOfSubject: UInt32 = 0
    fileprivate(set) var nextOfEntity: UInt32 = 0
    /// The number of the tenant's variant of its role that counts; 0 is none, so the policy's.
    fileprivate(set) var variant: UInt32 = 0
  }

  private(set) var rows = LargeArray<Row>()
  /// Recurring windows of rows.
  private(set) var windows: WindowTable
  private var identifiers = IdentifierTable()
  private var keys = LargeArray<UInt64>(repeating: 0, count: 16)
  /// First row of the pair, + 1; 0 is a free place.
  private var heads = LargeArray<UInt32>(repeating: 0, count: 16)
  private var pairCount = 0
  private var subjects = LargeArray<Subject>()
  private var headsOfEntity = LargeArray<UInt32>()

  /// The state of a subject; together, so that a decision reads it at once.
  private struct Subject: Sendable, BitwiseCopyable {
    /// First row, + 1; 0 is none.
    var head: UInt32 = 0
    var count: UInt32 = 0
    var roles: UInt64 = 0
    /// The entities of its rows, while they are few enough; `noEntities` fills the rest up.
    var entities = AssociationTable.noEntities
  }

  /// Associations of a subject whose entities lie beside each other.
  private static let fewCount = 4
  private static let noEntities = SIMD4(repeating: UInt32.max)

  /// An empty table, whose recurring windows find their zones in `zones`.
  init(zones: any TimeZoneSource = UTCOnly()) { windows = WindowTable(zones: zones) }

  /// How many associations there are.
  var count: Int { identifiers.count }

  /// The identifier of a row.
  func identifier(of row: UInt32) -> String { identifiers.text(row) }

  /// The row of an identifier.
  func row(identifier: String) -> UInt32? { identifiers.find(identifier) }

  /// The first row of a subject and entity, + 1; 0 is none.
  func head(subject: UInt32, entity: UInt32) -> UInt32 {
    let key = Self.key(subject, entity)
    var place = home(key)
    while heads[place] != 0 {
      if keys[place] == key { return heads[place] }
      place = (place + 1) & (keys.count - 1)
    }
    return 0
  }

  /// The first row of a subject, + 1; 0 is none.
  func head(subject: UInt32) -> UInt32 {
    Int(subject) < subjects.count ? subjects[Int(subject)].head : 0
  }

  /// How many associations a subject has.
  func count(subject: UInt32) -> Int {
    Int(subject) < subjects.count ? Int(subjects[Int(subject)].count) : 0
  }

  /// The entities that a subject has associations on, when those are few; nil when not.
  ///
  /// Places without one have the largest number, which is no entity's.
  func fewEntities(subject: UInt32) -> SIMD4<UInt32>? {
    guard Int(subject) < subjects.count else { return Self.noEntities }
    let subject = subjects[Int(subject)]
    return subject.count <= Self.fewCount ? subject.entities : nil
  }

  /// Roles that a subject has on anything, at whatever time.
  func roles(subject: UInt32) -> RoleSet {
    Int(subject) < subjects.count ? RoleSet(bits: subjects[Int(subject)].roles) : .none
  }

  /// The recurring window of a row.
  func window(of row: Row) -> RecurringWindow? {
    row.recurring == 0 ? nil : windows.window(row.recurring)
  }

  /// Whether a row counts at an instant, and until when that cannot change, the end of time included;
  /// milliseconds since 1970.
  func state(of row: Row, at now: Int64) -> (isOpen: Bool, until: Int64) {
    guard row.validFrom <= now else { return (false, row.validFrom) }
    guard row.validUntil > now else { return (false, .max) }
    guard row.recurring != 0 else { return (true, row.validUntil) }
    let (isOpen, until) = windows.state(of: row.recurring, at: now)
    return (isOpen, min(until, row.validUntil))
  }

  /// The first row of an entity, + 1; 0 is none.
  func head(entity: UInt32) -> UInt32 {
    Int(entity) < headsOfEntity.count ? headsOfEntity[Int(entity)] : 0
  }

  /// Adds an association, or replaces the one of the same identifier.
  ///
  /// `variant` is its own one or, if it `isReplaced`, the one that stands for its role.
  mutating func put(
    _ identifier: String,
    _ row: Row,
    during window: RecurringWindow? = nil,
    variant: UInt32 = 0,
    isReplaced: Bool = false
  ) {
    remove(identifier)
    var row = row
    (row.variant, row.isReplaced) = (variant, isReplaced)
    if let window { row.recurring = windows.take(window) }
    let number = identifiers.intern(identifier)
    if Int(number) == rows.count { rows.append(row) } else { rows[Int(number)] = row }
    link(number)
  }

  /// Removes an association, if it is there.
  mutating func remove(_ identifier: String) {
    guard let number = identifiers.find(identifier) else { return }
    remove(number: number)
  }

  /// Has a row count as the variant that stands for its role; 0 is none.
  mutating func replace(_ number: UInt32, by variant: UInt32) {
    rows[Int(number)].variant = variant
    rows[Int(number)].isReplaced = variant != 0
  }

  /// Removes the association of a row.
  mutating func remove(number: UInt32) {
    unlink(number)
    if rows[Int(number)].recurring != 0 { windows.release(rows[Int(number)].recurring) }
    identifiers.remove(number)
  }

  /// Removes all associations of an entity.
  mutating func removeAll(entity: UInt32) {
    while case let head = head(entity: entity), head != 0 {
      remove(number: head - 1)
    }
  }

  /// Counts a role of a subject that it may have elsewhere, among `roles(subject:)`, until one of its rows is removed.
  mutating func note(_ role: RoleID, of subject: UInt32) {
    Self.makeRoom(for: subject, of: Subject(), in: &subjects)
    subjects[Int(subject)].roles |= RoleSet(role).bits
  }

  // MARK: Chains

  private mutating func link(_ number: UInt32) {
    let row = rows[Int(number)]
    Self.makeRoom(for: row.subject, of: Subject(), in: &subjects)
    Self.makeRoom(for: row.entity, of: 0, in: &headsOfEntity)
    rows[Int(number)].nextOfSubject = subjects[Int(row.subject)].head
    subjects[Int(row.subject)].head = number + 1
    subjects[Int(row.subject)].count += 1
    subjects[Int(row.subject)].roles |= RoleSet(row.role).bits
    gatherEntities(subject: row.subject)
    rows[Int(number)].nextOfEntity = headsOfEntity[Int(row.entity)]
    headsOfEntity[Int(row.entity)] = number + 1
    let key = Self.key(row.subject, row.entity)
    let place = place(of: key)
    rows[Int(number)].nextOfPair = heads[place]
    if heads[place] == 0 { pairCount += 1 }
    keys[place] = key
    heads[place] = number + 1
    if pairCount * 2 > keys.count { grow() }
  }

  private mutating func unlink(_ number: UInt32) {
    let row = rows[Int(number)]
    let head = subjects[Int(row.subject)].head
    subjects[Int(row.subject)].head = without(number, from: head, \.nextOfSubject)
    subjects[Int(row.subject)].count -= 1
    subjects[Int(row.subject)].roles = gatheredRoles(subject: row.subject)
    gatherEntities(subject: row.subject)
    headsOfEntity[Int(row.entity)] = without(
      number,
      from: headsOfEntity[Int(row.entity)],
      \.nextOfEntity
    )
    let place = place(of: Self.key(row.subject, row.entity))
    heads[place] = without(number, from: heads[place], \.nextOfPair)
    if heads[place] == 0 {
      pairCount -= 1
      freePlace(place)
    }
  }

  private mutating func gatherEntities(subject: UInt32) {
    guard subjects[Int(subject)].count <= Self.fewCount else { return }
    var entities = Self.noEntities
    var next = subjects[Int(subject)].head
    var place = 0
    while next != 0 {
      entities[place] = rows[Int(next - 1)].entity
      next = rows[Int(next - 1)].nextOfSubject
      place += 1
    }
    subjects[Int(subject)].entities = entities
  }

  private func gatheredRoles(subject: UInt32) -> UInt64 {
    var roles = RoleSet.none
    var next = subjects[Int(subject)].head
    while next != 0 {
      roles.insert(rows[Int(next - 1)].role)
      next = rows[Int(next - 1)].nextOfSubject
    }
    return roles.bits
  }

  /// Takes a row out of a chain; returns the new head.
  private mutating func without(
    _ number: UInt32,
    from head: UInt32,
    _ next: WritableKeyPath<Row, UInt32>
  ) -> UInt32 {
    let following = rows[Int(number)][keyPath: next]
    rows[Int(number)][keyPath: next] = 0
    guard head != number + 1 else { return following }
    var current = head
    while current != 0 {
      let index = Int(current - 1)
      if rows[index][keyPath: next] == number + 1 {
        rows[index][keyPath: next] = following
        return head
      }
      current = rows[index][keyPath: next]
    }
    preconditionFailure("an association is missing from its own chain")
  }

  private static func makeRoom<Element: BitwiseCopyable & Sendable>(
    for index: UInt32,
    of element: Element,
    in array: inout LargeArray<Element>
  ) {
    guard Int(index) >= array.count else { return }
    let missing = Int(index) + 1 - array.count
    array.append(repeating: element, count: max(missing, array.count))
  }

  // MARK: Places

  private static func key(_ subject: UInt32, _ entity: UInt32) -> UInt64 {
    UInt64(subject) << 32 | UInt64(entity)
  }

  private func home(_ key: UInt64) -> Int {
    Int(truncatingIfNeeded: Mixing.mixed(key)) & (keys.count - 1)
  }

  /// Where a pair is, or the free place where it goes.
  private func place(of key: UInt64) -> Int {
    var place = home(key)
    while heads[place] != 0, keys[place] != key { place = (place + 1) & (keys.count - 1) }
    return place
  }

  private mutating func grow() {
    let (oldKeys, oldHeads) = (keys, heads)
    keys = LargeArray(repeating: 0, count: oldKeys.count * 2)
    heads = LargeArray(repeating: 0, count: oldKeys.count * 2)
    for old in oldHeads.indices where oldHeads[old] != 0 {
      let place = place(of: oldKeys[old])
      keys[place] = oldKeys[old]
      heads[place] = oldHeads[old]
    }
  }
}

extension AssociationTable: LinearProbing {
  var placeCount: Int { keys.count }

  func home(ofPlace place: Int) -> Int? { heads[place] == 0 ? nil : home(keys[place]) }

  mutating func move(from place: Int, to other: Int) {
    keys[other] = keys[place]
    heads[other] = heads[place]
  }

  mutating func clear(_ place: Int) {
    keys[place] = 0
    heads[place] = 0
  }
}
