import EntitlementContracts
import PeerContracts
import AuthContracts
import TenancyContracts
import Foundation
import Glibc
import RPCKit
import Testing

extension EndToEndTests {
  @Suite("Deleting accounts across services")
  struct DeletionTests {
    /// Six of each service unless the environment asks for more, as `scripts/long-tests/deletions` does.
    private static let killCount =
      ProcessInfo.processInfo.environment["DELETION_KILLS"].flatMap { Int($0) } ?? 6

    /// What belongs to somebody who stays.
    private struct Bystander {
      let person: Person
      let portfolio: String
    }

    @Test("On the command line an account is deleted, followed, and made again")
    func commands_deleteAndFollow_work() async throws {
      try await Installation.run { home in
        let ending = try await home.shell(
          """
          gatehouse signup ada@example.com Ada
          gatehouse cancel-deletion | grep 'was not about to be deleted'
          ! gatehouse deletion
          gatehouse delete-account > deleted
          read -r id state < deleted
          ! gatehouse whoami
          for try in $(seq 3000); do
            gatehouse deletion "$id" > state
            grep -q 'done$' state && break
          done
          grep "^$id done$" state
          ! gatehouse login ada@example.com
          gatehouse signup ada@example.com Ada
          gatehouse whoami | grep '"email": "ada@example.com"'
          """
        )
        let log = try home.folder.text(of: "shell.log")
        #expect(ending == .exited(0), "\(log)")
      }
    }

    @Test("Whichever service is killed, and whenever, a deletion ends and leaves nothing")
    func deletion_whileServicesAreKilled_ends() async throws {
      try await Installation.run { home in
        let owner = try await home.signUp("bystander")
        let portfolio = try await home.portfolios.create(.init(name: "Home"), options: owner.call)
        let bystander = Bystander(person: owner, portfolio: portfolio.id)
        var gone: [(person: Person, name: String)] = []
        for round in 0..<Self.killCount {
          for service in home.all {
            let name = "Leaver-\(service.name)-\(round)"
            gone.append((try await leave(name, killing: service, bystander, home), name))
          }
        }
        try takeFarewells(to: gone.map(\.name), home)
        try requireNothingLeft(of: gone, home)
        // Nobody else has lost anything.
        let stays = try await home.auth.again { try await home.signIn(bystander.person) }
        let kept = try await home.tenancy.again {
          try await home.portfolios.get(
            .init(portfolioId: bystander.portfolio),
            options: stays.call
          )
        }
        #expect(kept.name == "Home")
        let roles = try await home.associations.listByEntity(
          .init(entityId: bystander.portfolio),
          options: stays.call
        ).associations
        #expect(roles.map(\.userId) == [stays.id])
        for (person, _) in gone.prefix(3) {
          let refused = await #expect(throws: RPCError.self) { try await home.signIn(person) }
          #expect(refused?.code == .unauthenticated)
        }
      }
    }

    /// Makes an account with something in every service, deletes it, and kills a service meanwhile.
    private func leave(
      _ name: String,
      killing service: ServiceProcess,
      _ bystander: Bystander,
      _ home: Installation
    ) async throws -> Person {
      let person = try await service.again { try await home.signUp(name) }
      let staying = try await service.again { try await home.signIn(bystander.person) }
      _ = try await service.again {
        try await home.portfolios.addAdmin(
          .init(portfolioId: bystander.portfolio, userId: person.id),
          options: staying.call
        )
      }
      _ = try await service.again {
        try await Tenancy_V1.DocumentsClient(home.tenancy.channel).put(
          .init(put: .init(collection: "diary", documentId: "d", json: #"{"by": "\#(name)"}"#)),
          options: person.call
        )
      }
      _ = try await home.subscriptions.put(
        .init(subscription: .init(subject: .init(kind: .user, id: person.id), tier: "standard")),
        options: home.options(of: "billing", to: "entitlement")
      )
      let deletions = Auth_V1.DeletionsClient(home.auth.channel)
      let id = try await service.again {
        try await deletions.deleteAccount(.init(), options: person.call).id
      }
      // After so many answers: sometimes before the first step, sometimes in one, sometimes at the end.
      for _ in 0..<Int.random(in: 0...6) {
        _ = try await deletions.getDeletion(.init(deletionId: id), timeout: .seconds(10))
      }
      try await service.kill()
      try await service.start()
      let isDone = await home.auth.eventually(within: .seconds(90)) {
        let deletion = try? await deletions.getDeletion(
          .init(deletionId: id),
          timeout: .seconds(10)
        )
        return deletion?.state == .done
      }
      #expect(isDone, "the deletion of \(name) does not end:\n\(home.folder.end(of: "auth.log"))")
      return person
    }

    /// Takes the last mail to each user from the spool folder, as what delivers mails does.
    private func takeFarewells(to names: [String], _ home: Installation) throws {
      let root = home.folder.file("")
      let files = try #require(FileManager.default.enumerator(atPath: root)).compactMap {
        $0 as? String
      }
      var taken: [String] = []
      for file in files where file.hasSuffix(".eml") {
        let text = try String(contentsOfFile: home.folder.file(file), encoding: .utf8)
        guard text.contains("Subject: Your account was deleted") else { continue }
        taken += names.filter { text.lowercased().contains("<\($0.lowercased())@example.com>") }
        try FileManager.default.removeItem(atPath: home.folder.file(file))
      }
      #expect(taken.sorted() == names.sorted(), "each user gets one")
    }

    /// Looks at the bytes of all files: stores, logs of writes, mails, and what services have said.
    private func requireNothingLeft(
      of gone: [(person: Person, name: String)],
      _ home: Installation
    ) throws {
      let root = home.folder.file("")
      let files = try #require(FileManager.default.enumerator(atPath: root))
      var count = 0
      for case let file as String in files {
        guard let bytes = FileManager.default.contents(atPath: home.folder.file(file)) else {
          continue
        }
        count += 1
        for (person, name) in gone {
          for text in [person.id, "\(name)@example.com", name.lowercased() + "@example.com", name] {
            // Lines that were written before can have the identifier, and nothing else.
            if text == person.id, file.hasSuffix(".log") { continue }
            #expect(bytes.range(of: Data(text.utf8)) == nil, "\(text) is in \(file)")
          }
        }
      }
      #expect(count > 6)
    }
  }
}
