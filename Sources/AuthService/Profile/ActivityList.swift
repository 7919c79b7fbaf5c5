internal import ServiceKit

/// The regular activities of a user, in the order in which they began.
struct ActivityList: Hashable, Sendable {
  /// How many a user may have.
  static let countMax = 32

  private(set) var activities: [ActivityRecord] = []

  /// The activity of a name; nil when the user has none.
  subscript(name: String) -> ActivityRecord? { activities.first { $0.name == name } }

  /// Counts something; nil when it would be one activity too many.
  mutating func record(_ name: String, on day: CalendarDay, count: Int64) -> ActivityRecord? {
    guard let place = activities.firstIndex(where: { $0.name == name }) else {
      guard activities.count < Self.countMax else { return nil }
      let activity = ActivityRecord(name, on: day, count: count)
      activities.append(activity)
      return activity
    }
    activities[place].record(on: day, count: count)
    return activities[place]
  }
}

extension ActivityList {
  /// Bytes of its text, at most: a name, four numbers and a day for each activity.
  private static let byteCountMax = countMax * 512

  /// The list as it is stored; throws for a text that `text` has not written.
  init(stored text: String) throws(StoreError) {
    // What most users have, and what lists of users do not read.
    guard text != "[]", !text.isEmpty else { return }
    do {
      let limits = JSONLimits(byteCountMax: Self.byteCountMax, depthMax: 2)
      let field = JSONField(try JSONReader.read(Array(text.utf8), limits: limits))
      for element in try field.elements() { activities.append(try ActivityRecord(element)) }
    } catch {
      throw .statement("activities are stored that could not have been: \(error)")
    }
  }

  /// The text that is stored: a JSON array of objects.
  var text: String { JSONValue.array(activities.map(\.json)).text }
}

extension ActivityRecord {
  fileprivate init(_ field: JSONField) throws(JSONDecodingError) {
    var members = try field.members()
    let counts = 0...Int64.max
    let name = try members.required("name").nonEmptyString()
    let total = try members.required("total").integer(in: counts)
    let weekTotal = try members.required("week_total").integer(in: counts)
    let streak = try members.required("streak").integer(in: counts)
    let longestStreak = try members.required("longest_streak").integer(in: counts)
    let dayField = try members.required("last_day")
    guard let lastDay = CalendarDay(try dayField.string()) else {
      throw dayField.error("is not a day")
    }
    try members.finish()
    self.init(
      name: name,
      total: total,
      weekTotal: weekTotal,
      streak: streak,
      longestStreak: longestStreak,
      lastDay: lastDay
    )
  }

  fileprivate var json: JSONValue {
    [
      "name": .string(name), "total": .number(JSONNumber(total)),
      "week_total": .number(JSONNumber(weekTotal)), "streak": .number(JSONNumber(streak)),
      "longest_streak": .number(JSONNumber(longestStreak)), "last_day": .string(lastDay.text),
    ]
  }
}
