internal import AccessEngine
internal import PeerContracts
internal import ServiceKit

/// The readers whom a change may concern; each of them gets what they see of it.
enum AppAudience: Hashable, Sendable {
  /// One user.
  case user(String)
  /// Those with a role on any of these entities.
  case below([String])
  /// Those with a role anywhere in a tree.
  case tree(String)
  /// Those who are invited by an address.
  case invitations(String)
  case everybody

  /// Nil for a change that no app gets.
  init?(_ change: Change, _ forest: borrowing Forest) {
    switch AppChange(change) {
    case .ownRights(let userID), .document(let userID, _): self = .user(userID)
    case .treeRights(let root): self = .tree(root)
    case .invitation: self = .invitations(change.scope)
    case .allRights: self = .everybody
    case .entity(let id): self = .below(Self.above(id, forest))
    case .gone(_, let parent):
      let places = Self.above(parent, forest)
      // What was deleted with everything above it is nowhere now.
      self = places.isEmpty ? .tree(change.scope) : .below(places)
    case .link:
      guard let link = change.link(forest.policy) else { return nil }
      self = .below(Self.above(link.to, forest) + Self.above(link.from, forest))
    case nil: return nil
    }
  }

  /// The readers whom a change of another service may concern.
  static func of(_ item: RelayedNews.Item, _ forest: borrowing Forest) -> Set<AppAudience> {
    switch item {
    case .profile(let userID): [.user(userID)]
    case .points(let holder): [.user(holder), .below(above(holder, forest))]
    case .plan(.user, let id): [.user(id)]
    case .plan(_, let id): [.tree(id)]
    case .all: [.everybody]
    }
  }

  /// An entity, those above it, and those that are linked to it.
  private static func above(_ id: String, _ forest: borrowing Forest) -> [String] {
    guard forest.entity(id) != nil, id != Forest.systemIdentifier else { return [] }
    return [id] + forest.ancestors(of: id) + forest.linkSources(of: id)
  }
}

/// A change of the log, as far as apps hear of it.
enum AppChange: Hashable, Sendable {
  /// The rights of one user.
  case ownRights(String)
  /// Rights in a tree.
  case treeRights(String)
  /// All rights.
  case allRights
  /// An entity that was made or changed.
  case entity(String)
  /// An entity that was deleted, or moved away from below another.
  case gone(String, from: String)
  /// A link between entities.
  case link
  /// An invitation for an address.
  case invitation(String)
  /// A document of a user.
  case document(String, collection: String)

  /// Nil for one that no app gets.
  init?(_ change: Change) {
    switch change.kind {
    case ForestChange.entityKind: self = .entity(change.subject)
    case ForestChange.removedKind, ForestChange.leftKind:
      self = .gone(change.subject, from: change.formerParent)
    case "association.put", "association.removed", "subject.suspended":
      self = .ownRights(change.subject)
    case "link.put", "link.removed": self = .link
    case "role.put", "role.removed": self = .treeRights(change.scope)
    case ForestChange.featuresKind:
      self =
        change.scope == Forest.systemIdentifier ? .allRights : .treeRights(change.scope)
    case ForestChange.policyKind: self = .allRights
    case InvitationTable.changeKind: self = .invitation(change.subject)
    case "\(UserDocuments.changeKind)":
      let parts = change.scope.split(separator: "/", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { return nil }
      self = .document(parts[0], collection: parts[1])
    default: return nil
    }
  }
}

extension Change {
  /// The ends of a link that was put or removed.
  func link(_ policy: Policy) -> (from: String, to: String)? {
    switch ForestChange(self, policy) {
    case .putLink(let row), .removeLink(let row): (row.from, row.to)
    default: nil
    }
  }
}
