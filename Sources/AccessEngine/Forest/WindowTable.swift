/// The different recurring windows of associations, each kept once and found by its number.
///
/// A window is forgotten with the last association that has it, so there are never more than associations.
struct WindowTable: Sendable {
  /// Where windows find their zones.
  private let zones: Zones
  /// Zones that windows name and that are not there.
  private(set) var missingZones: Set<String> = []
  private var entries: [Entry] = []
  private var numbers: [RecurringWindow: UInt32] = [:]
  private var free: [UInt32] = []

  private struct Entry: Sendable {
    var window: RecurringWindow
    /// Nil when the zone is not there: such a window is never open.
    var rules: TimeZoneRules?
    var useCount: Int
  }

  /// A source behind one pointer: with an existential inside, every forest would have to be handled by
  /// its address.
  private final class Zones: Sendable {
    let source: any TimeZoneSource

    init(_ source: any TimeZoneSource) { self.source = source }
  }

  init(zones: any TimeZoneSource) { self.zones = Zones(zones) }

  /// The window of a number.
  func window(_ number: UInt32) -> RecurringWindow { entries[Int(number - 1)].window }

  /// Whether the window of a number is open at an instant, and until when that cannot change;
  /// milliseconds since 1970.
  func state(of number: UInt32, at now: Int64) -> (isOpen: Bool, until: Int64) {
    let entry = entries[Int(number - 1)]
    guard let rules = entry.rules else { return (false, .max) }
    return entry.window.state(at: now, in: rules)
  }

  /// The number of a window, from 1, which one more association has from now on.
  mutating func take(_ window: RecurringWindow) -> UInt32 {
    if let number = numbers[window] {
      entries[Int(number - 1)].useCount += 1
      return number
    }
    let rules = zones.source.rules(ofWindowIn: window.timeZone)
    if rules == nil { missingZones.insert(window.timeZone) }
    let entry = Entry(window: window, rules: rules, useCount: 1)
    if let number = free.popLast() {
      entries[Int(number - 1)] = entry
      numbers[window] = number
    } else {
      entries.append(entry)
      numbers[window] = UInt32(entries.count)
    }
    return numbers[window] ?? 0
  }

  /// One association less has the window of a number.
  mutating func release(_ number: UInt32) {
    entries[Int(number - 1)].useCount -= 1
    guard entries[Int(number - 1)].useCount == 0 else { return }
    numbers[entries[Int(number - 1)].window] = nil
    free.append(number)
  }
}
