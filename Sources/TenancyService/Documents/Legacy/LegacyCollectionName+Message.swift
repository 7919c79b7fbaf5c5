internal import PeerContracts
internal import TenancyContracts

extension LegacyCollectionName {
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
}
