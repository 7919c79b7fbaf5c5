/// The object of an invitation, as its mail names it.
///
/// Its owner chose the name, and the invited person has not asked for anything: a mail that carries any name to any
/// address is a way to send advertisements. So a name that is long, or that a mail program would turn into a link, is
/// left out, and the mail says what kind of object it is.
struct InvitedObject {
  /// The type, as the policy names it.
  let type: String
  /// The name that its owner gave it.
  let name: String
  /// The name of what it is in, if that is to be said.
  var parentName = ""

  /// Characters of a name that is shown, at most.
  private static let nameLengthMax = 60

  /// "Front door, Flat 2", "Pier 4", or "property" where the name is not shown.
  var text: String {
    guard Self.isPlain(name) else { return Self.words(type) }
    return Self.isPlain(parentName) ? "\(name), \(parentName)" : name
  }

  /// A name of the policy in words: `property_manager` becomes "property manager".
  static func words(_ name: String) -> String { name.replacing("_", with: " ") }

  private static func isPlain(_ name: String) -> Bool {
    guard !name.isEmpty, name.count <= nameLengthMax else { return false }
    guard !name.contains(where: { "/:@\\".contains($0) || $0.isNewline }) else { return false }
    // A dot between two characters that are no blanks makes a domain.
    return !zip(name, name.dropFirst()).contains { $0 == "." && !$1.isWhitespace }
  }
}
