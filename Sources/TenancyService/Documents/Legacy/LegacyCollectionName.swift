internal import PeerContracts
internal import TenancyContracts

/// A global collection of the older app, and where its documents go.
enum LegacyCollectionName: String, CaseIterable, Sendable {
  case sessions
  case moodEntries = "mood_entries"
  case insights
  case chatMessages = "chat_messages"

  /// The one that a request names; nil for none.
  init?(_ collection: Tenancy_V1.LegacyCollection) {
    switch collection {
    case .sessions: self = .sessions
    case .moodEntries: self = .moodEntries
    case .insights: self = .insights
    case .chatMessages: self = .chatMessages
    default: return nil
    }
  }

  /// The collection of a user that takes its documents.
  var target: String { self == .moodEntries ? "moods" : rawValue }
}
