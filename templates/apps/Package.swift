// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .treatAllWarnings(as: .error),
]

/// A command line for one of the apps: it uses the app kit and nothing else.
func app(_ name: String) -> Target {
  .executableTarget(
    name: name,
    dependencies: [
      "SampleSupport", .product(name: "GatehouseKit", package: "Gatehouse"),
    ],
    swiftSettings: settings
  )
}

let package = Package(
  name: "SampleApps",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "Gatehouse", path: "../..")],
  targets: [
    .target(
      name: "SampleSupport",
      dependencies: [.product(name: "GatehouseKit", package: "Gatehouse")],
      swiftSettings: settings
    ),
    app("smart-home"), app("stables"), app("journal"), app("family"),
  ]
)
