import PeerContracts
import TenancyContracts
import Foundation
import Glibc
import RPCKit
import Testing

/// What docs/guides/new-product.md says, word for word.
private struct NewProductPage {
  let text: String

  init() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    text = try String(
      contentsOf: root.appending(path: "docs/guides/new-product.md"),
      encoding: .utf8
    )
  }

  /// The contents of its blocks of a language, in order.
  func blocks(_ language: String) -> [String] {
    text.components(separatedBy: "\n```\(language)\n").dropFirst().map {
      $0.components(separatedBy: "\n```")[0] + "\n"
    }
  }

  /// The policy after the page's second part: with a magazine beside the book.
  func withMagazine(_ policy: String) -> String {
    let type = text.components(separatedBy: "`\"magazine\": ")[1].components(separatedBy: "`")[0]
    return policy.replacingOccurrences(of: "\"version\": 1", with: "\"version\": 2")
      .replacingOccurrences(
        of: "[\"shelf\", \"book\"]",
        with: "[\"shelf\", \"book\", \"magazine\"]"
      )
      .replacingOccurrences(
        of: "  \"types\": {",
        with: "  \"types\": {\n    \"magazine\": \(type),"
      )
  }
}

extension EndToEndTests {
  @Suite("A product that is a policy file and nothing else")
  struct NewProductTests {
    @Test("The page about new products works exactly as it is written, and after a reload")
    func page_asWritten_works() async throws {
      let page = try NewProductPage()
      let policy = try #require(page.blocks("json").first)
      let scripts = page.blocks("sh")
      #expect(scripts.count == 3)
      try await Installation.run(policy: policy) { home in
        let ending = try await home.shell(scripts.joined())
        #expect(ending == .exited(0), "\(home.folder.end(of: "shell.log"))")
        // Over RPC, with a type that comes by a reload alone.
        let lena = try await home.signIn("lena")
        let entities = Tenancy_V1.EntitiesClient(home.tenancy.channel)
        let library = try await entities.create(
          .init(entity: .init(type: "library", name: "Second")),
          options: lena.call
        )
        let shelf = try await entities.create(
          .init(entity: .init(type: "shelf", parentId: library.id, name: "New")),
          options: lena.call
        )
        let magazine = Tenancy_V1.CreateEntityRequest(
          entity: .init(type: "magazine", parentId: shelf.id, name: "Weekly")
        )
        let unknown = try await refusal {
          try await entities.create(magazine, options: lena.call)
        }
        #expect(unknown?.is(.invalidArgument, "TYPE_UNKNOWN") == true)
        try home.folder.write(page.withMagazine(policy), to: "policy.json")
        home.tenancy.send(SIGHUP)
        let isThere = await home.tenancy.eventually {
          (try? await entities.create(magazine, options: lena.call)) != nil
        }
        #expect(isThere, "\(home.folder.end(of: "tenancy.log"))")
        let listed = try await entities.list(.init(type: "magazine"), options: lena.call)
        #expect(listed.entities.map(\.name) == ["Weekly"])
        // What the store has is not taken out of the policy again.
        try home.folder.write(policy, to: "policy.json")
        home.tenancy.send(SIGHUP)
        let isLogged = await home.tenancy.eventually {
          home.folder.end(of: "tenancy.log").contains("policy.json does not load")
        }
        #expect(isLogged)
        #expect(try await entities.list(.init(type: "magazine"), options: lena.call).totalSize == 1)
      }
    }
  }
}
