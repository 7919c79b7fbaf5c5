/// The associations of a subject that one decision has seen so far.
struct RoleSearch {
  let now: Int64
  /// The requested action.
  var action = ActionID.any
  var type = EntityTypeID.system
  /// The next edge of a window that was looked at.
  private(set) var edge = Int64.max
  /// Roles that the subject has on the entity now.
  private(set) var held = RoleSet.none
  /// The association that grants the action.
  private(set) var found: Found?
  /// All that was looked at, for an explanation; nil when none is wanted.
  var trail: [Examined]?
  /// Whether any association reaches the entity, at whatever time.
  private(set) var isReached = false
  private var isGrantedLater = false
  private var wasGranted = false

  struct Found {
    let association: UInt32
    let role: RoleID
    let entity: UInt32
    let validUntil: Int64
    let level: Int
  }

  /// One association that was looked at.
  struct Examined {
    let association: UInt32
    let level: Int
    let link: LinkID?
    let isGranting: Bool
  }

  init(now: Int64) { self.now = now }

  /// Takes an association that reaches the entity into account, in any order.
  ///
  /// `level` is how far it is: 0 for the entity itself, 1 for links, then one more for each step up.
  /// `isGranting`: it includes the action from there. `isClosed`: its recurring window is, which counts
  /// like one that has not begun.
  mutating func examine(
    _ row: AssociationTable.Row,
    number: UInt32,
    level: Int,
    through link: LinkID? = nil,
    isGranting: Bool,
    isClosed: Bool = false
  ) {
    isReached = true
    if trail != nil {
      trail?.append(
        Examined(
          association: number,
          level: level,
          link: link,
          isGranting: isGranting
        )
      )
    }
    if row.validFrom > now {
      edge = min(edge, row.validFrom)
      if isGranting { isGrantedLater = true }
      return
    }
    guard row.validUntil > now else {
      if isGranting { wasGranted = true }
      return
    }
    edge = min(edge, row.validUntil)
    guard !isClosed else {
      if isGranting { isGrantedLater = true }
      return
    }
    held.insert(row.role)
    guard isGranting else { return }
    if let found, !isBetter(row, number, level, than: found) { return }
    found = Found(
      association: number,
      role: row.role,
      entity: row.entity,
      validUntil: row.validUntil,
      level: level
    )
  }

  /// Of two that are alike the one with the lower number: which one is found must not depend on the order
  /// in which they are looked at, or a list of subjects could show one of them on two pages.
  private func isBetter(
    _ row: AssociationTable.Row,
    _ number: UInt32,
    _ level: Int,
    than found: Found
  ) -> Bool {
    guard level == found.level else { return level < found.level }
    if row.role != found.role { return row.role.index < found.role.index }
    if row.validUntil != found.validUntil { return row.validUntil > found.validUntil }
    return number < found.association
  }

  /// Why nothing was found among the associations that reach the entity, if any do.
  var reasonOfReaching: ReasonCode? {
    if isGrantedLater { return .notYetValid }
    if wasGranted { return .expired }
    return isReached ? .roleLacksAction : nil
  }

  /// Whether the recurring window of a row is closed inside of its absolute one; remembers when that may
  /// change next.
  mutating func isClosed(_ row: AssociationTable.Row, _ windows: WindowTable) -> Bool {
    guard row.validFrom <= now, row.validUntil > now else { return false }
    let (isOpen, until) = windows.state(of: row.recurring, at: now)
    edge = min(edge, until)
    return !isOpen
  }

  /// Whether a window is open; remembers when that may change next.
  mutating func isInside(_ window: ZonedWindow) -> Bool {
    let (isOpen, until) = window.window.state(at: now, in: window.rules)
    edge = min(edge, until)
    return isOpen
  }
}
