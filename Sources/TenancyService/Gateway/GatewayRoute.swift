/// The demand on a user before a gateway passes a request on.
enum GatewayDemand: Hashable, Sendable {
  /// Nothing; anyone who shows no token passes too.
  case nothing
  /// To be signed in and not suspended.
  case user
  /// This action on this entity.
  case action(String, entity: String)
}

/// Requests for which a gateway needs the same permission.
struct GatewayRoute: Hashable, Sendable {
  /// Which paths it is for: segments that must be equal, and places for any segment.
  struct Pattern: Hashable, Sendable {
    enum Segment: Hashable, Sendable {
      case text(String)
      /// Any segment that is not empty.
      case any
      /// The same, and it is the entity.
      case entity
    }

    let segments: [Segment]
    /// Whether more segments may follow.
    let isOpen: Bool

    /// Reads `/devices/{entity}/*` or `/static/**`; nil for anything else.
    init?(_ text: String) {
      guard text.hasPrefix("/"), !text.contains("?"), !text.contains("%") else { return nil }
      var parts = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
      isOpen = parts.last == "**"
      if isOpen { parts.removeLast() }
      var segments: [Segment] = []
      for (index, part) in parts.enumerated() {
        switch part {
        case "*": segments.append(.any)
        case "{entity}": segments.append(.entity)
        default:
          let isLast = index == parts.count - 1 && !isOpen
          guard !part.isEmpty || isLast, !part.contains(where: { "*{}".contains($0) }) else {
            return nil
          }
          segments.append(.text(String(part)))
        }
      }
      guard segments.count(where: { $0 == .entity }) <= 1 else { return nil }
      self.segments = segments
    }

    /// Whether a path says the entity.
    var hasEntity: Bool { segments.contains(.entity) }

    /// The entity that a path names, empty if the pattern has none; nil if the path does not fit.
    func entity(in path: GatewayPath) -> String? {
      let names = path.segments
      guard isOpen ? names.count >= segments.count : names.count == segments.count else {
        return nil
      }
      var entity = ""
      for (segment, name) in zip(segments, names) {
        switch segment {
        case .text(let text): guard text == name else { return nil }
        case .any: guard !name.isEmpty else { return nil }
        case .entity:
          guard !name.isEmpty else { return nil }
          entity = name
        }
      }
      return entity
    }
  }

  /// Methods of HTTP; empty means all.
  let methods: Set<String>
  let pattern: Pattern
  /// The entity in `demand` is empty if the path has it.
  let demand: GatewayDemand

  /// The demand on a request if the route is for it; nil if it is not.
  func demand(_ method: String, _ path: GatewayPath) -> GatewayDemand? {
    guard methods.isEmpty || methods.contains(method), let entity = pattern.entity(in: path) else {
      return nil
    }
    guard case .action(let action, "") = demand else { return demand }
    return .action(action, entity: entity)
  }
}
