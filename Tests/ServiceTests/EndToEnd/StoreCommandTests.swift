import Foundation
import Glibc
import RPCKit
import TenancyContracts
import Testing

extension EndToEndTests {
  @Suite("Stores that came to harm")
  struct StoreCommandTests {
    @Test(
      "A start names what is wrong with the store, verify says the same, and nothing is lost by it"
    )
    func store_harmed_isNamedAndKept() async throws {
      try await Installation.run { home in
        let ada = try await home.signUp("ada")
        let path = home.folder.file("auth.db")
        func expectRefusal(_ reason: String) async throws {
          await #expect {
            try await home.auth.start()
          } throws: {
            "\($0)".contains(reason)
          }
          let verified = try await home.auth.command(["verify"])
          #expect(verified.ending == .exited(1), "\(verified.text)")
        }
        // While it runs as well.
        let live = try await home.auth.command(["verify"])
        #expect(live.ending == .exited(0), "\(live.text)")
        #expect(live.text.contains("no damage found in \(path)"))
        #expect(try await home.auth.command(["accept-store"]).ending == .exited(1))
        #expect(try await home.auth.command(["set-aside"]).ending == .exited(1))
        try await home.auth.kill()

        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        try Data().write(to: URL(fileURLWithPath: path))
        try await expectRefusal("\(path) is empty")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).isEmpty)
        try whole.write(to: URL(fileURLWithPath: path))

        let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        try log.prefix(log.count / 2).write(to: URL(fileURLWithPath: path + "-wal"))
        try await expectRefusal("\(path)-wal is damaged")
        try log.write(to: URL(fileURLWithPath: path + "-wal"))

        try await home.auth.start()
        #expect(try Person(await home.answer(to: "ada@example.com")).id == ada.id)
        home.auth.send(SIGTERM)
        #expect(await home.auth.ending() == .exited(0))

        var changed = try Data(contentsOf: URL(fileURLWithPath: path))
        let place = try #require(changed.range(of: Data("ada@example.com".utf8)))
        changed[place.lowerBound] = UInt8(ascii: "b")
        try changed.write(to: URL(fileURLWithPath: path))
        try await expectRefusal("\(path) is damaged: pages differ")

        let aside = try await home.auth.command(["set-aside"])
        #expect(aside.ending == .exited(0), "\(aside.text)")
        let target = try #require(
          try FileManager.default.contentsOfDirectory(atPath: home.folder.path)
            .first { $0.hasPrefix("auth.db.set-aside-") && !$0.hasSuffix(".lock") }
        )
        #expect(try Data(contentsOf: URL(fileURLWithPath: home.folder.file(target))) == changed)
        #expect(try await home.auth.start() < .seconds(20))
        _ = try await home.signUp("ada")
      }
    }

    @Test("A store is copied while the service runs, goes on with reads, and is not started again")
    func store_copied_isLeftForReading() async throws {
      try await Installation.run { home in
        let ada = try await home.signUp("ada")
        let made = try await home.portfolios.create(.init(name: "First"), options: ada.call)
        let (path, copy) = (home.folder.file("tenancy.db"), home.folder.file("copy.db"))
        let copied = try await home.tenancy.command(["copy-store", copy])
        #expect(copied.ending == .exited(0), "\(copied.text)")
        #expect(copied.text.contains("Set database to \(copy)"))

        let listed = try await home.portfolios.list(.init(), options: ada.call)
        #expect(listed.portfolios.map(\.id) == [made.id])
        let refused = try await refusal {
          _ = try await home.portfolios.create(.init(name: "Second"), options: ada.call)
        }
        #expect(refused?.is(.unavailable, "STORE_UNAVAILABLE") == true)
        try await home.tenancy.kill()
        await #expect {
          try await home.tenancy.start()
        } throws: {
          "\($0)".contains("\(path) was copied to \(copy)")
        }

        for name in ["", ".lock"] {
          try FileManager.default.removeItem(atPath: path + name)
          try FileManager.default.moveItem(atPath: copy + name, toPath: path + name)
        }
        for name in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + name) }
        let resumed = try await home.tenancy.command(["resume-store"])
        #expect(resumed.text.contains("takes writes again"), "\(resumed.text)")
        try await home.tenancy.start()
        let verified = try await home.tenancy.command(["verify"])
        #expect(verified.ending == .exited(0), "\(verified.text)")
        _ = try await home.portfolios.create(.init(name: "Second"), options: ada.call)
        let after = try await home.portfolios.list(.init(), options: ada.call)
        #expect(after.portfolios.map(\.name).sorted() == ["First", "Second"])
      }
    }

    @Test("A store that another program changed is accepted when the operator says so")
    func store_changedByHand_isAccepted() async throws {
      try await Installation.run { home in
        home.auth.send(SIGTERM)
        #expect(await home.auth.ending() == .exited(0))
        let path = home.folder.file("auth.db")
        let edit = try ChildProcess(
          "/usr/bin/sqlite3",
          [path, "DELETE FROM signing_key"],
          output: home.folder.file("sqlite3.log")
        )
        _ = await home.auth.eventually { edit.ending != nil }
        try #require(edit.ending == .exited(0))
        await #expect(throws: ChildProcess.Failure.self) { try await home.auth.start() }
        let accepted = try await home.auth.command(["accept-store"])
        #expect(accepted.ending == .exited(0), "\(accepted.text)")
        try await home.auth.start()
        _ = try await home.signUp("ada")
      }
    }
  }
}
