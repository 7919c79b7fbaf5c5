internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// One page of a list.
struct Page: Sendable {
  /// The entities of the page, in order.
  let ids: [String]
  /// For the next one; empty at the end.
  let nextToken: String
  /// How much there is on all pages.
  let total: Int
  /// The names they are sorted by.
  fileprivate let names: [String]
  fileprivate let asked: RequestedPage
}

/// One page of a list, as an answer has it.
struct Listed<Item: Message>: Sendable {
  let items: [Item]
  /// For the next page; empty at the end.
  let nextToken: String
  /// How many there are on all pages, before any sifting.
  let total: UInt64
}

/// The query of a list of entities, apart from the caller.
struct EntityList: Sendable {
  let action: String
  let type: String
  /// Only what lies below all of these, which the caller may know.
  var within: [String] = []
  /// Besides, what the lowest of these is linked to by a link of this name; empty for none.
  var link = ""
  /// Only what is directly below this, if it is set, which the caller may know.
  var parent = ""
  /// Only what has this in its name, without regard to ASCII case.
  var text = ""
  /// Only what has one of some values of an attribute, for each of these.
  var filters: [Filter] = []
  /// Further filters by which `message` leaves entities out, in any words that distinguish one list from
  /// another.
  ///
  /// The engine knows nothing of it, so a page has what passes of a thousand entities, and what passes on all
  /// pages is not counted.
  var sifting: [String] = []
  /// `name`, `created_at` or `id`.
  var sortBy = ""
  var isDescending = false
  var pageSize: UInt32 = 0
  var pageToken = ""
  /// Which page, counted from 1; 0 means that the token says it.
  var page: UInt32 = 0

  /// An attribute and the values that pass.
  struct Filter: Hashable, Sendable {
    let attribute: String
    let values: [String]
  }

  /// Entities that are looked at for one page of what is sifted.
  static let siftedCount = 1000

  /// Takes an order as clients say it: `-createdAt` is the youngest first.
  mutating func sort(by order: RequestedOrder) {
    isDescending = order.isDescending
    sortBy = order.field
  }

  func examinedCount(_ size: Int) -> Int { sifting.isEmpty ? size : max(size, Self.siftedCount) }
}

extension TenancyCore {
  /// A page of the entities on which a subject may do an action: complete over all pages.
  ///
  /// What is made, deleted or moved while somebody pages may be on them or not, and so may what comes
  /// into sight or goes out of it; sorted by name, what is renamed may be on several. All else is on
  /// exactly one.
  func page(
    _ list: EntityList,
    subject: String,
    assurance: Assurance?,
    _ binding: TokenSealer.PageBinding
  ) async throws -> Page {
    let asked = try tokens.page(
      .init(size: list.pageSize, token: list.pageToken, number: list.page),
      cursorCount: 2,
      binding
    )
    let skippedCount = asked.skippedCount
    let sortsByName = list.sortBy.isEmpty || list.sortBy == "name"
    if let everything = try await everything(list, subject: subject, assurance: assurance) {
      return try await page(of: everything, asked, sortsByName: sortsByName)
    }
    let (now, features) = (clock.now, features)
    let page = try await retrying {
      try await engine.walk { forest in
        guard let query = list.query(of: subject, assurance, now: now, features, forest) else {
          return nil
        }
        let selection = PageSelection(
          limit: skippedCount + list.examinedCount(asked.size),
          sortsByName: sortsByName,
          isDescending: list.isDescending,
          text: list.text,
          after: asked.cursor
        )
        return AccessWalk(query, .page(selection), forest)
      } finish: { walk, forest in
        try Self.found(walk, forest)
      }
    }
    guard let page else {
      return Page(ids: [], nextToken: "", total: 0, names: [], asked: asked)
    }
    let next = page.cursor.map { asked.token(after: $0) } ?? ""
    return Page(
      ids: Array(page.ids.dropFirst(skippedCount)),
      nextToken: next,
      total: page.total,
      names: Array(page.names.dropFirst(skippedCount)),
      asked: asked
    )
  }

  /// The list as one that the store gives, if roles on the system reach everything of its type.
  func everything(
    _ list: EntityList,
    subject: String,
    assurance: Assurance?
  ) async throws -> EverythingList? {
    guard EverythingList.isPossible(list) else { return nil }
    let (now, features) = (clock.now, features)
    return try await retrying {
      try engine.read {
        EverythingList(list, of: subject, assurance, now: now, features, $0)
      }
    }
  }

  private func page(
    of everything: EverythingList,
    _ asked: RequestedPage,
    sortsByName: Bool
  ) async throws -> Page {
    let order = PlaceOrder(
      sortsByName: sortsByName,
      isDescending: everything.list.isDescending,
      cursor: asked.cursor.map { ListPlace(name: $0[0], id: $0[1]) }
    )
    let page = try await everything.page(
      order,
      limit: asked.skippedCount + everything.list.examinedCount(asked.size),
      self
    )
    let names = page.places.map { sortsByName ? $0.name : "" }
    let ids = page.places.map(\.id)
    let end = page.hasMore ? names.last.flatMap { name in ids.last.map { [name, $0] } } : nil
    return Page(
      ids: Array(ids.dropFirst(asked.skippedCount)),
      nextToken: end.map { asked.token(after: $0) } ?? "",
      total: page.total,
      names: Array(names.dropFirst(asked.skippedCount)),
      asked: asked
    )
  }

  /// All entities on which a subject may do an action, in no order and without regard to a text; nil for more than a
  /// number.
  func accessible(
    _ list: EntityList,
    subject: String,
    assurance: Assurance?,
    atMost limit: Int
  ) async throws -> [String]? {
    if let everything = try await everything(list, subject: subject, assurance: assurance) {
      return try await everything.identifiers(atMost: limit, self)
    }
    let (now, features) = (clock.now, features)
    return try await retrying {
      let ids = try await engine.walk { forest in
        list.query(of: subject, assurance, now: now, features, forest)
          .map { AccessWalk($0, .all([]), forest) }
      } finish: { walk, forest -> [String] in
        guard walk.missing.isEmpty else { throw TenancyError.featuresUnavailable(walk.missing) }
        guard case .all(let found) = walk.purpose else {
          preconditionFailure("a walk lost its purpose")
        }
        var ids: [String] = []
        for entity in found { ids.append(forest.identifier(of: entity)) }
        return ids
      }
      return (ids?.count ?? 0) > limit ? nil : ids ?? []
    }
  }

  private struct Found: Sendable {
    let ids: [String]
    let names: [String]
    let cursor: [String]?
    let total: Int
  }

  private static func found(_ walk: AccessWalk, _ forest: borrowing Forest) throws -> Found {
    guard walk.missing.isEmpty else { throw TenancyError.featuresUnavailable(walk.missing) }
    guard case .page(let selection) = walk.purpose else {
      preconditionFailure("a walk lost its purpose")
    }
    var ids: [String] = []
    for entry in selection.page { ids.append(forest.identifier(of: entry.entity)) }
    return Found(
      ids: ids,
      names: selection.page.map(\.name),
      cursor: selection.cursor(forest),
      total: selection.total
    )
  }

  /// The entities of a page as messages, at most its size and as many as fit into one answer, and the
  /// token of the page after them; one for which `message` is nil is left out.
  func fill<Item: Message>(
    _ page: Page,
    _ tx: borrowing ReadTransaction,
    _ message: (EntityRecord) throws -> Item?
  ) throws -> (items: [Item], nextToken: String) {
    var budget = AnswerBudget()
    var items: [Item] = []
    var last: String?
    for record in try EntityTable.all(page.ids, in: tx) {
      guard let item = try message(record) else { continue }
      guard items.count < page.asked.size, budget.takes(item) else {
        guard let place = page.ids.firstIndex(where: { $0 == last }) else {
          preconditionFailure("an entity that the page does not have")
        }
        let cursor = [page.names[place], page.ids[place]]
        return (items, page.asked.token(after: cursor))
      }
      items.append(item)
      last = record.id
    }
    return (items, page.nextToken)
  }

  /// The accessible entities of a user as messages, as many as fit into one answer; one for which `message` is
  /// nil is left out.
  func list<Item: Message>(
    _ list: EntityList,
    _ call: CallContext,
    _ user: UserIdentity,
    message: @escaping @Sendable (EntityRecord, borrowing ReadTransaction) throws -> Item?
  ) async throws -> Listed<Item> {
    let (core, message) = (self, noting(user, message))
    let page = try await page(list, call, user)
    let (items, nextToken) = try await read { tx in
      try core.fill(page, tx) { try message($0, tx) }
    }
    guard list.page == 0 || nextToken == page.nextToken else {
      throw CountedPage.tooLarge
    }
    return Listed(items: items, nextToken: nextToken, total: UInt64(page.total))
  }

  /// A page of what a user has access to, its token bound to the user and the whole request.
  func page(_ list: EntityList, _ call: CallContext, _ user: UserIdentity) async throws -> Page {
    try await page(
      list,
      subject: user.userID,
      assurance: user.assurance(at: clock.now),
      list.binding(call)
    )
  }
}

extension EntityList {
  /// The caller and the request that a page token is good for.
  func binding(_ call: CallContext) -> TokenSealer.PageBinding {
    TokenSealer.PageBinding(
      caller: call.caller.description,
      filter: [
        "\(call.method.service)/\(call.method.method)", action, type, text, sortBy,
        "\(isDescending)", parent, "\(within.count)",
      ] + within + filters.flatMap { [$0.attribute, "\($0.values.count)"] + $0.values } + sifting
    )
  }

  /// The question for the engine; nil when there is nothing to look for.
  func query(
    of subject: String,
    _ assurance: Assurance?,
    now: Int64,
    _ features: any FeatureSource,
    _ forest: borrowing Forest
  ) -> Forest.ListQuery? {
    guard
      var query = forest.query(
        action,
        on: type,
        subject: subject,
        context: forest.context(assurance),
        now: now,
        features
      )
    else { return nil }
    for filter in filters
    where !query.takes(only: filter.values, of: filter.attribute, forest.policy) {
      return nil
    }
    guard let within = forest.deepest(within) else { return nil }
    query.within = within.entity
    query.link = forest.policy.link(named: link)
    guard !parent.isEmpty else { return query }
    guard let above = forest.entity(parent) else { return nil }
    query.parent = above
    // Nothing else is below it, and other trees need not be looked at.
    if parent != Forest.systemIdentifier, query.within == nil { query.within = above }
    return query
  }
}
