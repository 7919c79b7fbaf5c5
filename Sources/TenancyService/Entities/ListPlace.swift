/// The place of an entity in a list that is read from the store.
struct ListPlace: Hashable, Sendable {
  let name: String
  let id: String
}

/// An order of places, and where a page begins in it.
struct PlaceOrder: Sendable {
  let sortsByName: Bool
  let isDescending: Bool
  /// The page begins after it.
  let cursor: ListPlace?

  /// Whether a place comes before another one, by bytes, as the store has them.
  func isOrdered(_ left: ListPlace, before right: ListPlace) -> Bool {
    let (left, right) = isDescending ? (right, left) : (left, right)
    if sortsByName, left.name != right.name {
      return left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
    }
    return left.id.utf8.lexicographicallyPrecedes(right.id.utf8)
  }
}

/// One page of places, and how many there are on all.
struct PlacePage: Sendable {
  let places: [ListPlace]
  /// Whether there is another page.
  let hasMore: Bool
  let total: Int

  /// A page of the first places in an order, of which there is one more than the page has if another page follows.
  init(_ places: [ListPlace], limit: Int, total: Int) {
    self.places = Array(places.prefix(limit))
    hasMore = places.count > limit
    self.total = total
  }
}

/// The first places after another one, gathered from all in any order.
struct PlaceSelection {
  private let order: PlaceOrder
  private let limit: Int
  /// In order; at most one more than the page has.
  private var places: [ListPlace] = []
  private var total = 0

  init(_ order: PlaceOrder, limit: Int) { (self.order, self.limit) = (order, limit) }

  var page: PlacePage { PlacePage(places, limit: limit, total: total) }

  mutating func offer(_ place: ListPlace) {
    total += 1
    if let cursor = order.cursor, !order.isOrdered(cursor, before: place) { return }
    if places.count > limit, let last = places.last, !order.isOrdered(place, before: last) {
      return
    }
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if order.isOrdered(places[middle], before: place) { low = middle + 1 } else { high = middle }
    }
    places.insert(place, at: low)
    if places.count > limit + 1 { places.removeLast() }
  }
}
