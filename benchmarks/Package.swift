// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func gatehouse(_ product: String) -> Target.Dependency {
  .product(name: product, package: "Gatehouse")
}

let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "Gatehouse", path: "..")],
  targets: [
    .executableTarget(
      name: "service-benchmark",
      dependencies: [
        gatehouse("RPCKit"), gatehouse("Contracts"), gatehouse("ServiceKit"),
        gatehouse("AccessEngine"), gatehouse("TenancyService"),
      ],
      swiftSettings: strict
    ),
    .target(
      name: "MeasuredPrograms",
      dependencies: [
        gatehouse("auth-service"), gatehouse("tenancy-service"), gatehouse("entitlement-service"),
        gatehouse("gatehouse"), gatehouse("rpcload"), gatehouse("benchmark-server"),
      ],
      swiftSettings: strict
    ),
  ]
)
