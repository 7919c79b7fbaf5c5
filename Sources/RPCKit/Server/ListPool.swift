/// Lists whose elements leave in the order in which they came, and which share their memory: a list
/// that is empty holds none, and adding to one seldom allocates.
struct ListPool<Element> {
  /// One of the lists; belongs to the pool that it was first given to.
  struct List {
    fileprivate var first = ListPool.none
    fileprivate var last = ListPool.none

    /// Makes an empty list.
    init() {}

    /// Whether nothing is in it.
    var isEmpty: Bool { first == ListPool.none }

    /// Whether exactly one element is in it.
    var hasOne: Bool { first == last && !isEmpty }
  }

  private struct Node {
    var element: Element?
    /// The next one of its list, or of those that are free.
    var next: Int
  }

  private static var none: Int { -1 }
  /// Places that are kept when all lists are empty.
  private static var keptPlaceCount: Int { 1024 }

  private var nodes: [Node] = []
  private var free = ListPool.none
  /// Elements of all lists.
  private(set) var count = 0

  /// Makes a pool without lists.
  init() {}

  /// Places that memory is held for.
  var placeCount: Int { nodes.count }

  /// The element that would leave next.
  func first(of list: List) -> Element? { list.isEmpty ? nil : nodes[list.first].element }

  /// Adds an element at the end.
  mutating func append(_ element: Element, to list: inout List) {
    let place = place(for: element)
    if list.isEmpty { list.first = place } else { nodes[list.last].next = place }
    list.last = place
    count += 1
  }

  /// Takes the first element out; nil when there is none.
  mutating func removeFirst(of list: inout List) -> Element? {
    guard !list.isEmpty else { return nil }
    let place = list.first
    // Moved and not copied: a copy would count references up and down.
    let element = nodes[place].element.take()
    list.first = nodes[place].next
    if list.isEmpty { list.last = Self.none }
    nodes[place].next = free
    free = place
    count -= 1
    if count == 0, nodes.count > Self.keptPlaceCount {
      nodes = []
      free = Self.none
    }
    return element
  }

  private mutating func place(for element: Element) -> Int {
    guard free != Self.none else {
      nodes.append(Node(element: element, next: Self.none))
      return nodes.count - 1
    }
    let place = free
    free = nodes[place].next
    nodes[place] = Node(element: element, next: Self.none)
    return place
  }
}
