import AuthService
import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import Foundation
import Glibc
import RPCKit
import ServiceKit
import TenancyService
import Testing

@testable import EntitlementService

extension EndToEndTests {
  /// Stores of earlier releases, in `Tests/Upgrade`, whose README says how they were made.
  ///
  /// Ada owns the demo portfolio and has the plan plus, and Grace manages its property.
  @Suite("Upgrades")
  struct UpgradeTests {
    @Test(
      "The stores of an earlier release are migrated, and everybody has what they had",
      arguments: ["894d8a6"]
    )
    func stores_ofEarlierRelease_areMigrated(revision: String) async throws {
      try await Installation.run { home in
        for service in home.all {
          service.send(SIGTERM)
          #expect(await service.ending() == .exited(0))
        }
        try await replaceStores(of: home, by: revision)
        for service in home.all { try await service.start() }

        let (ada, grace) = (try await home.signIn("ada"), try await home.signIn("grace"))
        let portfolio = try #require(
          try await home.portfolios.list(.init(), options: ada.call).portfolios.first
        )
        #expect(portfolio.name == "Demo portfolio")
        let property = try #require(
          try await home.properties.list(.init(), options: grace.call).properties.first
        )
        #expect(property.name == "Harbour House")
        #expect(portfolio.propertyIds == [property.id])
        #expect(
          try await home.devices.list(.init(), options: ada.call).devices.count == 5
        )
        let refused = try await refusal {
          _ = try await home.portfolios.delete(
            .init(portfolioId: portfolio.id),
            options: grace.call
          )
        }
        #expect(refused?.is(.notFound, "NOT_FOUND") == true, "\(String(describing: refused))")
        let subscription = try await home.subscriptions.get(
          .init(subject: .init(kind: .user, id: ada.id)),
          options: ada.call
        )
        #expect(subscription.tier == "plus")

        // What was migrated can be written, and is what today's migrations make from nothing.
        _ = try await home.portfolios.create(.init(name: "Second"), options: ada.call)
        for service in home.all {
          let verified = try await service.command(["verify"])
          #expect(verified.ending == .exited(0), "\(verified.text)")
        }
      }
    }

    @Test("The table of schema versions says what the code says")
    func table_ofSchemaVersions_isUpToDate() throws {
      let versions = [AuthProgram.store, TenancyProgram.store, EntitlementProgram.store].map {
        "\($0.migrations.last?.version ?? 0)"
      }
      let table = try String(
        contentsOf: Self.root.appending(path: "docs/operations/releases.md"),
        encoding: .utf8
      )
      let row = ([GatehouseVersion.text] + versions).joined(separator: " | ")
      #expect(table.contains("\n| \(row) |\n"))
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private func replaceStores(of home: Installation, by revision: String) async throws {
      let folder = Self.root.appending(path: "Tests/Upgrade/\(revision)").path
      for name in try FileManager.default.contentsOfDirectory(atPath: home.folder.path)
      where name.contains(".db") {
        try FileManager.default.removeItem(atPath: home.folder.file(name))
      }
      for service in home.all {
        let gunzip = try ChildProcess(
          "/bin/gzip",
          ["-d", "-c", "\(folder)/\(service.name).db.gz"],
          output: home.folder.file("\(service.name).db")
        )
        _ = await service.eventually { gunzip.ending != nil }
        try #require(gunzip.ending == .exited(0))
      }
      // The secrets belong to the store of AuthService.
      try home.folder.write(
        Array(try Data(contentsOf: URL(filePath: "\(folder)/secrets.json"))),
        to: "secrets.json"
      )
    }
  }
}
