internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// The order of a list by an attribute of its entities.
///
/// The engine knows neither texts nor numbers, so all that a list has are read for each page of it. That is bounded, and
/// tells how many there are.
struct AttributeOrder: Sendable {
  let attribute: Attribute
  let isDescending: Bool

  /// Entities that are sorted, at most.
  static let countMax = 10_000
  /// Bytes of a text by which it is sorted; page tokens carry them.
  private static let byteCountMax = 128

  /// The value by which an entity is sorted.
  enum Key: Hashable, Comparable, Sendable {
    /// The place of a flag or of a choice.
    case code(Int)
    case integer(Int64)
    case number(Double)
    case text(String)
  }

  /// An entity and what it is sorted by; nil for one without a value.
  struct Entry: Sendable {
    let key: Key?
    let id: String
  }

  /// The entities of a list that was asked for at most `countMax`; throws SORT_TOO_LARGE if it has more.
  static func sortable(_ found: [String]?) throws(RPCError) -> [String] {
    guard let found else { throw EntityError.sortTooLarge }
    return found
  }

  /// Nil when the attribute does not exist; `autoLock` means `auto_lock` too.
  init?(_ order: RequestedOrder, of type: Policy.EntityType) {
    let names = [order.field, Self.snakeCase(order.field)]
    guard let attribute = type.attributes.first(where: { names.contains($0.name) }) else {
      return nil
    }
    (self.attribute, isDescending) = (attribute, order.isDescending)
  }

  private static func snakeCase(_ name: String) -> String {
    var result = ""
    for character in name {
      result += character.isUppercase ? "_\(character.lowercased())" : "\(character)"
    }
    return result
  }

  /// The entry of an entity for a user who sees it at an access level.
  ///
  /// Nobody finds out by the order what they cannot see.
  func entry(_ entity: EntityRecord, accessLevel: Int) -> Entry {
    guard accessLevel >= attribute.accessLevel else { return Entry(key: nil, id: entity.id) }
    let stored = entity.attributes[attribute.name].flatMap(AttributeMapping.typed)
    return Entry(key: (stored ?? attribute.defaultValue).flatMap(key), id: entity.id)
  }

  private func key(_ value: Attribute.Value) -> Key? {
    switch (attribute.kind, value) {
    case (.choice(let choices), .text(let text)): choices.firstIndex(of: text).map { .code($0) }
    case (_, .boolean(let flag)): .code(flag ? 1 : 0)
    // A number without a fraction is stored as an integer.
    case (.number, .integer(let number)): .number(Double(number))
    case (_, .integer(let number)): .integer(number)
    case (_, .number(let number)): .number(number)
    case (_, .text(let text)): .text(Self.prefix(of: text))
    }
  }

  private static func prefix(of text: String) -> String {
    guard text.utf8.count > byteCountMax else { return text }
    var prefix = ""
    for scalar in text.unicodeScalars {
      guard prefix.utf8.count + UTF8.width(scalar) <= byteCountMax else { break }
      prefix.unicodeScalars.append(scalar)
    }
    return prefix
  }

  /// Whether an entry comes before another one; entries without a value come last in either direction.
  func isOrdered(_ left: Entry, before right: Entry) -> Bool {
    guard (left.key == nil) == (right.key == nil) else { return left.key != nil }
    let (left, right) = isDescending ? (right, left) : (left, right)
    if let low = left.key, let high = right.key, low != high { return low < high }
    return left.id.utf8.lexicographicallyPrecedes(right.id.utf8)
  }

  // MARK: Page tokens

  /// An entry as texts that a page token can carry.
  func cursor(_ entry: Entry) -> [String] {
    let key: String? =
      switch entry.key {
      case nil: nil
      case .code(let number): "\(number)"
      case .integer(let number): "\(number)"
      case .number(let number): "\(number)"
      case .text(let text): text
      }
    return [key.map { "=\($0)" } ?? "", entry.id]
  }

  /// The entry of texts that `cursor` has made.
  func entry(_ cursor: [String]) -> Entry {
    guard let text = cursor.first, text.hasPrefix("=") else {
      return Entry(key: nil, id: cursor.last ?? "")
    }
    let value = String(text.dropFirst())
    let key: Key? =
      switch attribute.kind {
      case .boolean, .choice: Int(value).map { .code($0) }
      case .integer: Int64(value).map { .integer($0) }
      case .number: Double(value).map { .number($0) }
      case .text, .color: .text(value)
      }
    return Entry(key: key, id: cursor.last ?? "")
  }
}

extension TenancyCore {
  /// Entities that are read at a time to be sorted.
  private static let sortedCount = 500

  /// The accessible entities of a user in the order of an attribute, as many as fit into one answer.
  ///
  /// `passes` says which of them the list has, by what their user sees of them; `message` leaves out the ones for
  /// which it is nil.
  func list<Item: Message>(
    _ list: EntityList,
    by order: AttributeOrder,
    _ call: CallContext,
    _ user: UserIdentity,
    passes: @escaping @Sendable (EntityRecord, _ accessLevel: Int) -> Bool,
    message: @escaping @Sendable (EntityRecord, borrowing ReadTransaction) throws -> Item?
  ) async throws -> Listed<Item> {
    let asked = try tokens.page(
      .init(size: list.pageSize, token: list.pageToken, number: list.page),
      cursorCount: 2,
      list.binding(call)
    )
    let entries = try await entries(of: list, by: order, user, passes: passes)
    let last = asked.cursor.map { order.entry($0) }
    let rest = entries.drop { entry in last.map { !order.isOrdered($0, before: entry) } ?? false }
      .dropFirst(asked.skippedCount)
    let page = Array(rest.prefix(asked.size))
    let noting = noting(user, message)
    let (items, count) = try await read { tx in try Self.items(page, tx, noting) }
    guard !asked.isCounted || count == page.count else { throw CountedPage.tooLarge }
    let hasMore = count < rest.count && count > 0
    return Listed(
      items: items,
      nextToken: hasMore ? asked.token(after: order.cursor(page[count - 1])) : "",
      total: UInt64(entries.count)
    )
  }

  /// All that a list has, sorted.
  private func entries(
    of list: EntityList,
    by order: AttributeOrder,
    _ user: UserIdentity,
    passes: @escaping @Sendable (EntityRecord, Int) -> Bool
  ) async throws -> [AttributeOrder.Entry] {
    let found = try await accessible(
      list,
      subject: user.userID,
      assurance: user.assurance(at: clock.now),
      atMost: AttributeOrder.countMax
    )
    var rest = try AttributeOrder.sortable(found)[...]
    var entries: [AttributeOrder.Entry] = []
    while !rest.isEmpty {
      let part = Array(rest.prefix(Self.sortedCount))
      rest = rest.dropFirst(part.count)
      entries += try await read { [self] tx in
        try EntityTable.all(part, in: tx).compactMap { record in
          guard PageSelection.hasText(list.text, in: record.name) else { return nil }
          let held = try ruling(list.action, on: record.id, type: list.type, user, tx)
          guard held.isAllowed, passes(record, held.accessLevel) else { return nil }
          return order.entry(record, accessLevel: held.accessLevel)
        }
      }
    }
    return entries.sorted { order.isOrdered($0, before: $1) }
  }

  /// The messages of a page, and how many of its entries they stand for.
  private static func items<Item: Message>(
    _ page: [AttributeOrder.Entry],
    _ tx: borrowing ReadTransaction,
    _ message: (EntityRecord, borrowing ReadTransaction) throws -> Item?
  ) throws -> (items: [Item], count: Int) {
    var budget = AnswerBudget()
    var items: [Item] = []
    let records = try EntityTable.all(page.map(\.id), in: tx)
    for record in records {
      guard let item = try message(record, tx) else { continue }
      guard budget.takes(item) else {
        let count = page.firstIndex { $0.id == record.id } ?? page.count
        return (items, count)
      }
      items.append(item)
    }
    return (items, page.count)
  }
}
