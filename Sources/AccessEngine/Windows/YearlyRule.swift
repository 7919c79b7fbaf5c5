/// Two offsets that take turns each year, or one for good: the last line of a TZif file.
struct YearlyRule: Hashable, Sendable {
  /// Seconds east of UTC.
  let standard: Int32
  /// Daylight saving time; nil when there is none.
  let daylight: Daylight?

  struct Daylight: Hashable, Sendable {
    /// Seconds east of UTC.
    let offset: Int32
    let begins: Day
    let ends: Day
  }

  /// A time on a day of each year.
  struct Day: Hashable, Sendable {
    let day: Kind
    /// Seconds after midnight by the clocks as they are until then; may be negative, or more than a day.
    let time: Int32

    enum Kind: Hashable, Sendable {
      /// 1 to 365, without the 29th of February.
      case julian(Int)
      /// 0 to 365, with it.
      case ordinal(Int)
      /// A weekday (0 is Sunday) of a month: the first to fourth, or the last if 5.
      case weekday(Int, week: Int, month: Int)
    }
  }

  func offset(at instant: Int64) -> (offset: Int32, until: Int64) {
    guard let daylight else { return (standard, .max) }
    let year = CivilDay(dayNumber: CivilDay.dayNumber(of: instant + Int64(standard))).year
    // Turns of the years around it, because a turn may lie across new year.
    var turns: [(at: Int64, offset: Int32)] = []
    for year in (year - 1)...(year + 1) {
      turns.append((daylight.begins.instant(in: year, offset: standard), daylight.offset))
      turns.append((daylight.ends.instant(in: year, offset: daylight.offset), standard))
    }
    turns.sort { $0.at < $1.at }
    var (offset, until) = (standard, Int64.max)
    for turn in turns {
      guard turn.at <= instant else {
        until = turn.at
        break
      }
      offset = turn.offset
    }
    return (offset, until)
  }
}

extension YearlyRule.Day {
  /// The instant of it in a year, by clocks with an offset.
  func instant(in year: Int64, offset: Int32) -> Int64 {
    let first = CivilDay(year: year, month: 1, day: 1).dayNumber
    let number: Int64
    switch day {
    case .julian(let day):
      number = first + Int64(day) - 1 + (CivilDay.isLeap(year) && day >= 60 ? 1 : 0)
    case .ordinal(let day): number = first + Int64(day)
    case .weekday(let weekday, let week, let month):
      let begin = CivilDay(year: year, month: Int64(month), day: 1).dayNumber
      let count = CivilDay.dayCount(ofMonth: Int64(month), year)
      let lead = (Int64(weekday) - CivilDay.weekday(of: begin) + 7) % 7
      var day = lead + 7 * Int64(week - 1)
      if day >= count { day -= 7 }
      number = begin + day
    }
    return number * 86_400 + Int64(time) - Int64(offset)
  }
}
