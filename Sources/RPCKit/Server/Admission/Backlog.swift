/// Elements that are taken in the order in which they were added.
struct Backlog<Element> {
  /// Places of taken elements that are worth moving the others for.
  private static var forgottenCountMin: Int { 64 }
  /// Places that are kept when the last element is taken.
  private static var keptCountMax: Int { 1024 }

  /// Nil where an element was taken.
  private var places: [Element?] = []
  /// The elements before this one were taken.
  private var head = 0

  /// Makes an empty backlog.
  init() {}

  var isEmpty: Bool { head == places.count }

  var count: Int { places.count - head }

  /// Places that memory is held for, those of taken elements included.
  var placeCount: Int { places.count }

  /// The elements, the oldest first.
  var elements: some Sequence<Element> { places[head...].lazy.compactMap { $0 } }

  /// The oldest element.
  var first: Element? { head < places.count ? places[head] : nil }

  mutating func append(_ element: Element) { places.append(element) }

  /// Takes the oldest element; nil when there is none.
  mutating func popFirst() -> Element? {
    guard head < places.count else { return nil }
    // Moved and not copied: a copy would count references up and down.
    let element = places[head].take()
    head += 1
    forgetTaken()
    return element
  }

  /// Takes the newest element; nil when there is none.
  mutating func popLast() -> Element? {
    guard head < places.count else { return nil }
    let element = places.removeLast()
    forgetTaken()
    return element
  }

  /// Takes the oldest element for which `matches` is true out of its place.
  mutating func removeFirst(where matches: (Element) -> Bool) {
    guard let index = places[head...].firstIndex(where: { $0.map(matches) ?? false }) else {
      return
    }
    places.remove(at: index)
    forgetTaken()
  }

  /// Frees the places of elements that were taken, once they are half of all.
  ///
  /// A backlog that is never empty would otherwise grow without end.
  private mutating func forgetTaken() {
    if head == places.count {
      places.removeAll(keepingCapacity: head <= Self.keptCountMax)
    } else if head >= Self.forgottenCountMin, head >= places.count / 2 {
      places.removeFirst(head)
    } else {
      return
    }
    head = 0
  }
}
