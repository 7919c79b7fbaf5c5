extension RecurringWindow {
  /// As the store and the change log keep it: the bits of its days, its minutes and its zone.
  ///
  /// `31 480 1080 Europe/Berlin` is eight to six on working days.
  package var storedText: String { "\(days.rawValue) \(from) \(until) \(timeZone)" }

  /// Reads what `storedText` has written; nil for anything else.
  package init?(storedText: String) {
    let parts = storedText.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 4, let bits = UInt8(parts[0]), let from = Int(parts[1]),
      let until = Int(parts[2])
    else { return nil }
    self.init(
      days: Weekdays(rawValue: bits),
      from: from,
      until: until,
      timeZone: String(parts[3])
    )
  }

  /// The minute of the day of a time such as `08:00`, up to `24:00`; nil for what is none.
  package static func minute(ofDay text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2,
      parts.allSatisfy({ $0.utf8.count == 2 && $0.first != "+" && $0.first != "-" }),
      let hours = Int(parts[0]), let minutes = Int(parts[1]), (0...24).contains(hours),
      (0...59).contains(minutes), hours < 24 || minutes == 0
    else { return nil }
    return hours * 60 + minutes
  }

  /// `08:00`, of a minute of the day.
  package static func timeOfDay(_ minute: Int) -> String {
    let digits = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
    return "\(digits(minute / 60)):\(digits(minute % 60))"
  }
}
