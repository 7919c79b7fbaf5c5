/// A product that `seed` can make a world of.
enum SeedProduct: String, CaseIterable, Sendable {
  case stables
  case family
  case journal
  case smartHome = "smart-home"

  /// The world to create.
  var world: SeedWorld {
    switch self {
    case .stables: .stables
    case .family: .family
    case .journal: .journal
    case .smartHome: .smartHome
    }
  }
}
