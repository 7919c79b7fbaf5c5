/// A global collection of the older app, and where its documents go.
enum LegacyCollectionName: String, CaseIterable, Sendable {
  case sessions
  case moodEntries = "mood_entries"
  case insights
  case chatMessages = "chat_messages"

  /// The collection of a user that takes its documents.
  var target: String { self == .moodEntries ? "moods" : rawValue }
}
