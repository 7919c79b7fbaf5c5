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

/// What the programs say they were built from: the hexadecimal digits of the variable, at most 40.
let revision = (Context.environment["BUILD_REVISION"] ?? "").filter(\.isHexDigit).prefix(40)
let buildRevision = CSetting.define(
  "BUILD_REVISION",
  to: "\"\(revision.isEmpty ? "unknown" : revision)\""
)

/// How programs are linked for release: without exported symbols, and with packed relocations.
///
/// Nothing is loaded into them that would look for symbols, and the names of everything public are a megabyte.
/// What is relocated at each start is another one and a half, which only lld packs; it must keep sections that are
/// found by their names alone (`__start_…`), as the other linkers do.
let shipped: [LinkerSetting] = [
  .unsafeFlags(
    [
      "-use-ld=lld", "-Xlinker", "--no-export-dynamic", "-Xlinker", "-z", "-Xlinker",
      "pack-relative-relocs", "-Xlinker", "-z", "-Xlinker", "nostart-stop-gc",
    ],
    .when(platforms: [.linux], configuration: .release)
  )
]

/// The two targets that scripts/generate writes for a folder of `proto/`: structs for protobuf-c, and Swift.
func contracts(_ name: String, imports: [String] = ["Peer"]) -> [Target] {
  [
    .target(
      name: "C\(name)Contracts",
      dependencies: ["CProtobufC"] + imports.map { .byName(name: "C\($0)Contracts") },
      path: "Sources/Contracts/\(name)/C"
    ),
    .target(
      name: "\(name)Contracts",
      dependencies: ["RPCKit", .byName(name: "C\(name)Contracts")]
        + imports.map { .byName(name: "\($0)Contracts") },
      path: "Sources/Contracts/\(name)/Swift",
      swiftSettings: strict
    ),
  ]
}

/// Contracts: what services ask one another, and what each of them is asked by everybody else.
let contractTargets = [
  contracts("Peer", imports: []), contracts("Auth"), contracts("Tenancy"), contracts("Entitlement"),
  contracts("Testing", imports: []),
].flatMap(\.self)

let package = Package(
  name: "Gatehouse",
  // For GatehouseKit, the only product of which something is known on Apple's systems.
  platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .visionOS(.v2), .watchOS(.v11)],
  products: [
    // For apps: it depends on nothing else here.
    .library(name: "GatehouseKit", targets: ["GatehouseKit"]),
    .library(name: "RPCKit", targets: ["RPCKit"]),
    .library(name: "AdminPort", targets: ["AdminPort"]),
    // What generated C of other packages includes.
    .library(name: "CProtobufC", targets: ["CProtobufC"]),
    .library(name: "RPCKitTesting", targets: ["RPCKitTesting"]),
    .library(
      name: "Contracts",
      targets: [
        "AllContracts", "PeerContracts", "AuthContracts", "TenancyContracts",
        "EntitlementContracts",
      ]
    ),
    .library(name: "ServiceKit", targets: ["ServiceKit"]),
    .library(name: "AccessEngine", targets: ["AccessEngine"]),
    .library(name: "TenancyService", targets: ["TenancyService"]),
    .executable(name: "auth-service", targets: ["auth-service"]),
    .executable(name: "tenancy-service", targets: ["tenancy-service"]),
    .executable(name: "entitlement-service", targets: ["entitlement-service"]),
    .executable(name: "gatehouse-all", targets: ["gatehouse-all"]),
    .executable(name: "gatehouse", targets: ["gatehouse"]),
    .executable(name: "rpcload", targets: ["rpcload"]),
    .executable(name: "rpcsim", targets: ["rpcsim"]),
    .executable(name: "storesim", targets: ["storesim"]),
    .executable(name: "benchmark-server", targets: ["benchmark-server"]),
    .executable(name: "protoc-gen-rpckit", targets: ["protoc-gen-rpckit"]),
  ],
  targets: [
    .target(name: "GatehouseKit", swiftSettings: strict),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CCrypt", pkgConfig: "libcrypt", providers: [.apt(["libcrypt-dev"])]),
    .systemLibrary(name: "CIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"])]),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    // Compiled with libcurl's headers and not linked with it: it is loaded when it is first needed.
    .target(
      name: "CCurl",
      cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)]
    ),
    // libpq, loaded when a store is on a server.
    .target(
      name: "CPostgreSQL",
      cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)]
    ),
    .target(
      name: "CProtobufC",
      cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)],
      linkerSettings: [.linkedLibrary("protobuf-c")]
    ),
    .target(
      name: "RPCKit",
      dependencies: ["TextEncodings", "CLinux", "CZlib", "COpenSSL", "CProtobufC"],
      swiftSettings: strict
    ),
    .systemLibrary(
      name: "CNghttp2",
      pkgConfig: "libnghttp2",
      providers: [.apt(["libnghttp2-dev"])]
    ),
    .target(
      name: "RPCKitHTTP",
      dependencies: [
        "Reflection", "RPCKit", "StrictJSON", "TextEncodings", "CNghttp2", "CZlib",
      ],
      swiftSettings: strict
    ),
    .target(name: "AdminPort", dependencies: ["RPCKit", "RPCKitHTTP"], swiftSettings: strict),
    .target(
      name: "AllContracts",
      dependencies: [
        "Reflection", "RPCKit", "PeerContracts", "AuthContracts", "TenancyContracts",
        "EntitlementContracts",
      ],
      swiftSettings: strict
    ),
    .target(
      name: "RPCKitTesting",
      dependencies: ["RPCKit", "StrictJSON", "CNghttp2"],
      swiftSettings: strict
    ),
    .target(name: "StrictJSON", swiftSettings: strict),
    .target(name: "TextEncodings", swiftSettings: strict),
    // Contracts as data: it knows neither RPCKit, which the generator writes a part of, nor protobuf-c.
    .target(name: "ProtoSchema", swiftSettings: strict),
    .target(name: "PackedTables", swiftSettings: strict),
    .target(
      name: "CBuildInformation",
      cSettings: [
        buildRevision, .enableWarning("all"), .enableWarning("extra"),
        .treatAllWarnings(as: .error),
      ]
    ),
    .target(
      name: "BuildInformation",
      dependencies: ["CBuildInformation"],
      swiftSettings: strict
    ),
    .target(
      name: "ServiceKit",
      dependencies: [
        "AdminPort", "CommandLineTool", "Reflection", "RPCKit", "RPCKitHTTP", "PeerContracts",
        "StrictJSON",
        "PackedTables", "TextEncodings", "CSQLite", "CPostgreSQL", "CCurl", "CIDN2",
        "COpenSSL", "BuildInformation",
      ],
      swiftSettings: strict
    ),
    .target(
      name: "AccessEngine",
      dependencies: ["StrictJSON", "PackedTables"],
      swiftSettings: strict
    ),
    .target(
      name: "Reflection",
      dependencies: ["ProtoSchema", "RPCKit", "StrictJSON", "TextEncodings"],
      swiftSettings: strict
    ),
    .target(
      name: "AuthService",
      dependencies: [
        "ServiceKit", "RPCKit", "PeerContracts", "AuthContracts", "CSodium", "COpenSSL", "CCrypt",
      ],
      swiftSettings: strict
    ),
    .target(
      name: "TenancyService",
      dependencies: [
        "AccessEngine", "ServiceKit", "RPCKit", "RPCKitHTTP", "PeerContracts", "TenancyContracts",
      ],
      swiftSettings: strict
    ),
    .target(
      name: "EntitlementService",
      dependencies: [
        "ServiceKit", "RPCKit", "PeerContracts", "EntitlementContracts", "TextEncodings",
        "COpenSSL",
      ],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "auth-service",
      dependencies: ["AllContracts", "AuthService", "ServiceKit"],
      swiftSettings: strict,
      linkerSettings: shipped
    ),
    .executableTarget(
      name: "tenancy-service",
      dependencies: ["AllContracts", "TenancyService", "ServiceKit"],
      swiftSettings: strict,
      linkerSettings: shipped
    ),
    .executableTarget(
      name: "entitlement-service",
      dependencies: ["AllContracts", "EntitlementService", "ServiceKit"],
      swiftSettings: strict,
      linkerSettings: shipped
    ),
    .target(
      name: "CommandLineClient",
      dependencies: [
        "CommandLineTool",
        "AccessEngine", "AuthService", "TenancyService", "Reflection", "ServiceKit", "RPCKit",
        "AllContracts", "PeerContracts", "AuthContracts", "TenancyContracts",
        "EntitlementContracts",
      ],
      path: "Sources/gatehouse",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "gatehouse",
      dependencies: ["CommandLineClient"],
      path: "Sources/gatehouse-program",
      swiftSettings: strict,
      linkerSettings: shipped
    ),
    .executableTarget(
      name: "gatehouse-all",
      dependencies: [
        "AllContracts",
        "AuthService", "TenancyService", "EntitlementService", "CommandLineClient", "RPCKit",
        "ServiceKit",
      ],
      swiftSettings: strict,
      linkerSettings: shipped
    ),
    // All programs of an installation in one build; see its only file.
    .target(
      name: "ShippedPrograms",
      dependencies: ["auth-service", "tenancy-service", "entitlement-service", "gatehouse"],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "protoc-gen-rpckit",
      dependencies: ["ProtoSchema", "TextEncodings"],
      swiftSettings: strict
    ),
    .target(name: "CommandLineTool", swiftSettings: strict),
    .target(
      name: "LoadGenerator",
      dependencies: ["CommandLineTool", "RPCKit", "TextEncodings", "CNghttp2"],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "rpcload",
      dependencies: ["LoadGenerator", "CommandLineTool", "RPCKit"],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "rpcsim",
      dependencies: [
        "CommandLineTool", "TestingContracts", "Reflection", "RPCKit", "RPCKitHTTP",
        "RPCKitTesting",
      ],
      swiftSettings: strict
    ),
    .target(
      name: "CStoreSimulation",
      cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)],
      linkerSettings: [.linkedLibrary("sqlite3")]
    ),
    .executableTarget(
      name: "storesim",
      dependencies: [
        "CommandLineTool", "CStoreSimulation", "RPCKit", "RPCKitTesting", "ServiceKit",
      ],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "benchmark-server",
      dependencies: ["CommandLineTool", "TestingContracts", "Reflection", "RPCKit", "RPCKitHTTP"],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "store-crash-writer",
      dependencies: ["ServiceKit"],
      path: "Tests/StoreCrashWriter",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "readme-example",
      dependencies: ["RPCKit", "TestingContracts", "PeerContracts"],
      path: "Tests/ReadmeExample",
      swiftSettings: strict
    ),
    .target(
      name: "CStoreFaults",
      path: "Tests/StoreFaults",
      cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)],
      linkerSettings: [.linkedLibrary("sqlite3")]
    ),
    .testTarget(
      name: "ServiceKitTests",
      dependencies: [
        "ServiceKit", "RPCKit", "RPCKitHTTP", "RPCKitTesting", "PeerContracts", "TestingContracts",
        "CommandLineTool", "CStoreFaults",
        "store-crash-writer",
      ],
      exclude: ["Wycheproof"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "ReflectionTests",
      dependencies: [
        "CommandLineTool",
        "CommandLineClient", "AuthService", "Reflection", "ServiceKit", "RPCKit", "RPCKitTesting",
        "AllContracts", "PeerContracts", "AuthContracts", "TenancyContracts",
        "EntitlementContracts", "TestingContracts",
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "AuthServiceTests",
      dependencies: [
        "AuthService", "ServiceTesting", "ServiceKit", "RPCKit", "RPCKitTesting", "PeerContracts",
        "AuthContracts",
        "COpenSSL", "TestingContracts",
      ],
      path: "Tests/ServiceTests/Auth",
      exclude: ["Passkeys/Vectors"],
      swiftSettings: strict
    ),
    .target(
      name: "ServiceTesting",
      dependencies: [
        "ServiceKit", "RPCKit", "RPCKitTesting", "StrictJSON", "PeerContracts", "TenancyContracts",
      ],
      path: "Tests/ServiceTests/Support",
      swiftSettings: strict
    ),
    .testTarget(
      name: "TenancyServiceTests",
      dependencies: [
        "TenancyService", "AccessEngine", "PackedTables", "ServiceTesting", "ServiceKit", "RPCKit",
        "RPCKitTesting", "PeerContracts", "TenancyContracts",
      ],
      path: "Tests/ServiceTests/Tenancy",
      swiftSettings: strict
    ),
    .testTarget(
      name: "EntitlementServiceTests",
      dependencies: [
        "EntitlementService", "ServiceTesting", "ServiceKit", "RPCKit", "RPCKitTesting",
        "PeerContracts", "EntitlementContracts",
      ],
      path: "Tests/ServiceTests/Entitlement",
      swiftSettings: strict
    ),
    .testTarget(
      name: "AuthorizationTests",
      dependencies: [
        "AuthService", "TenancyService", "AccessEngine", "EntitlementService", "ServiceTesting",
        "Reflection", "ServiceKit", "RPCKit", "RPCKitTesting", "AllContracts", "PeerContracts",
        "AuthContracts", "TenancyContracts", "EntitlementContracts",
      ],
      path: "Tests/ServiceTests/Authorization",
      swiftSettings: strict
    ),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "auth-service", "tenancy-service", "entitlement-service", "gatehouse", "AuthService",
        "TenancyService", "EntitlementService", "ServiceTesting", "ServiceKit", "RPCKit",
        "RPCKitTesting", "AllContracts", "PeerContracts", "AuthContracts", "TenancyContracts",
        "EntitlementContracts", "Reflection",
      ],
      path: "Tests/ServiceTests/EndToEnd",
      exclude: ["Requirements", "Golden/json"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "GatehouseKitTests",
      dependencies: ["GatehouseKit"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "RPCKitHTTPTests",
      dependencies: [
        "RPCKitHTTP", "Reflection", "RPCKit", "RPCKitTesting", "PeerContracts", "TestingContracts",
        "LoadGenerator", "StrictJSON",
        "TextEncodings",
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "RPCKitTests",
      dependencies: [
        "CommandLineTool",
        "AdminPort", "RPCKit", "RPCKitTesting", "TestingContracts", "LoadGenerator",
        "TextEncodings",
        "rpcsim",
      ],
      exclude: ["Transcripts"],
      swiftSettings: strict
    ),
  ]
)
package.targets += contractTargets
