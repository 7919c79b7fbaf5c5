/// The agenda of future events by time: a binary heap, first come first served at equal times.
struct Agenda<Entry> {
  private struct Item {
    var time: Int64
    var number: UInt64
    var entry: Entry

    func comesBefore(_ other: Item) -> Bool {
      time == other.time ? number < other.number : time < other.time
    }
  }

  private var items: [Item] = []
  private var itemCount: UInt64 = 0

  /// When the first entry is due, in nanoseconds.
  var firstTime: Int64? { items.first?.time }

  mutating func insert(_ entry: Entry, at time: Int64) {
    itemCount += 1
    items.append(Item(time: time, number: itemCount, entry: entry))
    var child = items.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard items[child].comesBefore(items[parent]) else { return }
      items.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes the first entry if it is due at `time`.
  mutating func popFirst(dueAt time: Int64) -> Entry? {
    guard let first = items.first, first.time <= time else { return nil }
    items.swapAt(0, items.count - 1)
    items.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < items.count && items[child].comesBefore(items[least]) {
        least = child
      }
      guard least != parent else { return first.entry }
      items.swapAt(parent, least)
      parent = least
    }
  }
}
