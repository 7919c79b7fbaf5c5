/// A day of the calendar.
struct CivilDay: Hashable, Sendable {
  let year: Int64
  let month: Int64
  let day: Int64

  init(year: Int64, month: Int64, day: Int64) {
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// The day that is so many days after 1970-01-01.
  init(dayNumber: Int64) {
    // Years that begin in March, so that the leap day is their last; eras of 400 of them.
    let shifted = dayNumber + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    self.month = month < 10 ? month + 3 : month - 9
    day = dayOfYear - (153 * month + 2) / 5 + 1
    year = yearOfEra + era * 400 + (self.month <= 2 ? 1 : 0)
  }

  /// How many days after 1970-01-01 it is.
  var dayNumber: Int64 {
    let year = month <= 2 ? self.year - 1 : self.year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// The day on which a number of seconds after 1970 lies.
  static func dayNumber(of seconds: Int64) -> Int64 {
    let day = seconds / 86_400
    return seconds % 86_400 < 0 ? day - 1 : day
  }

  /// 0 is Sunday.
  static func weekday(of dayNumber: Int64) -> Int64 { ((dayNumber + 4) % 7 + 7) % 7 }

  static func isLeap(_ year: Int64) -> Bool {
    year % 4 == 0 && year % 100 != 0 || year % 400 == 0
  }

  static func dayCount(ofMonth month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
