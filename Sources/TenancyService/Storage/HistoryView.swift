/// How much of a device's history a reader sees.
struct HistoryView: Sendable {
  /// The reader, whose own acts are always shown.
  let reader: String
  /// From when on everything is shown, in milliseconds since 1970.
  let beginning: Int64
}
