// swift-tools-version: 6.2
import PackageDescription

/// Every target is built the same way: the strictest language mode, and no warning survives.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A library of Gatehouse.
func gatehouse(_ product: String) -> Target.Dependency {
  .product(name: product, package: "Gatehouse")
}

let package = Package(
  name: "Shelf",
  dependencies: [
    .package(name: "Gatehouse", path: Context.environment["GATEHOUSE"] ?? "../..")
  ],
  targets: [
    // These two are generated from proto/ (README.md).
    .target(name: "CShelfContracts", dependencies: [gatehouse("CProtobufC")]),
    .target(
      name: "ShelfContracts",
      dependencies: ["CShelfContracts", gatehouse("RPCKit")],
      swiftSettings: strict
    ),
    .target(
      name: "Shelf",
      dependencies: ["ShelfContracts", gatehouse("ServiceKit"), gatehouse("RPCKit")],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "shelf-service",
      dependencies: ["Shelf", gatehouse("ServiceKit")],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "shelf-client",
      dependencies: ["ShelfContracts", gatehouse("RPCKit")],
      swiftSettings: strict
    ),
    .testTarget(
      name: "ShelfTests",
      dependencies: ["Shelf", "ShelfContracts", gatehouse("ServiceKit"), gatehouse("RPCKit")],
      swiftSettings: strict
    ),
  ]
)
