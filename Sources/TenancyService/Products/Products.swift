internal import AccessEngine
internal import RPCKit

/// A product with an interface of its own, beside the generic `Entities` and `Roles`.
protocol Product: SendableMetatype {
  /// Whether a policy has any of its types.
  static func isPart(of policy: Policy) -> Bool

  /// What its handlers need and a policy of which it is a part does not have.
  static func missing(in policy: Policy) -> [PolicyError.Problem]

  /// Its RPCs.
  static func services(_ core: TenancyCore) -> [ServiceDefinition]
}

/// The one place that knows which products there are.
enum Products {
  private static let all: [any Product.Type] = [SmartHome.self]

  /// Products that a policy has any type of.
  static func parts(of policy: Policy) -> [any Product.Type] {
    all.filter { $0.isPart(of: policy) }
  }

  /// RPCs of the products whose types the policy has.
  static func services(of core: TenancyCore) -> [ServiceDefinition] {
    parts(of: core.policy).flatMap { $0.services(core) }
  }

  /// What a policy lacks of the products that it has a part of, or that are served.
  static func missing(
    in policy: Policy,
    serving served: [any Product.Type]
  ) -> [PolicyError.Problem] {
    let needed = all.filter { product in
      product.isPart(of: policy) || served.contains { $0 == product }
    }
    return needed.flatMap { $0.missing(in: policy) }
  }
}
