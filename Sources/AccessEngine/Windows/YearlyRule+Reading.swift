extension YearlyRule {
  /// Reads a rule as POSIX has it in the variable TZ: `CET-1CEST,M3.5.0,M10.5.0/3`; nil for anything else.
  init?(posix text: ArraySlice<UInt8>) {
    var reader = RuleReader(rest: text)
    guard reader.name(), let west = reader.offset() else { return nil }
    standard = -west
    guard !reader.rest.isEmpty else {
      daylight = nil
      return
    }
    guard reader.name() else { return nil }
    var offset = -west + 3_600
    if reader.rest.first != UInt8(ascii: ",") {
      guard let west = reader.offset() else { return nil }
      offset = -west
    }
    guard reader.take(","), let begins = reader.day(), reader.take(","), let ends = reader.day(),
      reader.rest.isEmpty
    else { return nil }
    daylight = Daylight(offset: offset, begins: begins, ends: ends)
  }
}

/// Takes a rule apart from front to back.
private struct RuleReader {
  var rest: ArraySlice<UInt8>

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  /// A name of three letters or more, or anything in angle brackets.
  mutating func name() -> Bool {
    if take("<") {
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
      rest = rest[(end + 1)...]
      return true
    }
    let letters = rest.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
    rest = rest.dropFirst(letters.count)
    return letters.count >= 3
  }

  /// Digits, at most three of them.
  private mutating func number(_ range: ClosedRange<Int32>) -> Int32? {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard (1...3).contains(digits.count) else { return nil }
    rest = rest.dropFirst(digits.count)
    let value = digits.reduce(Int32(0)) { $0 * 10 + Int32($1 - UInt8(ascii: "0")) }
    return range.contains(value) ? value : nil
  }

  /// Seconds, of `[+-]hh[:mm[:ss]]`.
  private mutating func time(hourMax: Int32) -> Int32? {
    let sign: Int32 = take("-") ? -1 : 1
    if sign == 1 { _ = take("+") }
    guard let hours = number(0...hourMax) else { return nil }
    var seconds = hours * 3_600
    for unit in [Int32(60), 1] {
      guard take(":") else { break }
      guard let value = number(0...59) else { return nil }
      seconds += value * unit
    }
    return sign * seconds
  }

  /// Seconds west of UTC.
  mutating func offset() -> Int32? { time(hourMax: 24) }

  mutating func day() -> YearlyRule.Day? {
    guard let kind = kind() else { return nil }
    guard take("/") else { return YearlyRule.Day(day: kind, time: 7_200) }
    return time(hourMax: 167).map { YearlyRule.Day(day: kind, time: $0) }
  }

  private mutating func kind() -> YearlyRule.Day.Kind? {
    if take("J") { return number(1...365).map { .julian(Int($0)) } }
    guard take("M") else { return number(0...365).map { .ordinal(Int($0)) } }
    guard let month = number(1...12), take("."), let week = number(1...5), take("."),
      let weekday = number(0...6)
    else { return nil }
    return .weekday(Int(weekday), week: Int(week), month: Int(month))
  }
}
