/// A product that `seed` can make a world of.
enum SeedProduct: String, CaseIterable, Sendable {
  case stables
  case family
  case journal
  case smartHome = "smart-home"
}
