/// Numbers of things for people.
enum CountText {
  /// `1 session`, `2 sessions`.
  static func text(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
