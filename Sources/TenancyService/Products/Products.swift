/// The one place that knows which products there are.
enum Products {
  static let all: [any Product.Type] = [SmartHome.self, Families.self]
}
