import Foundation
import Testing

extension EndToEndTests {
  @Suite("Worlds of the products")
  struct SeedTests {
    /// Runs a script for the shell in an installation with a policy of the repository.
    private func check(policy: String, _ script: String) async throws {
      let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
      }
      let file = root.appending(path: "policies/\(policy).json")
      let text = try String(contentsOf: file, encoding: .utf8)
      try await Installation.run(policy: text) { home in
        let ending = try await home.shell(script)
        #expect(ending == .exited(0), "\(home.folder.end(of: "shell.log"))")
      }
    }

    @Test(
      "A world is made once, however often it is asked for, and what it says to try works",
      arguments: [
        ("smart-home", "smart-home", 14), ("stables", "equestrian", 13),
        ("family", "family", 15), ("journal", "smart-home", 10),
      ]
    )
    func seed_again_makesNothing(product: String, policy: String, count: Int) async throws {
      try await check(
        policy: policy,
        """
        gatehouse seed --product \(product) > first
        cat first
        test "$(grep -c '^new' first)" = \(count)
        ! grep '^there' first
        gatehouse seed --product \(product) > second
        test "$(grep -c '^there' second)" = "$(grep -cE '^(new|there)' second)"
        gatehouse seed --product \(product) --output json > third
        test "$(grep -c '"new":false' third)" = "$(grep -c . third)"
        sed -n '/^what to try:/,$p' first | grep '^  gatehouse' | grep -v 'gatehouse watch' > try.sh
        test "$(grep -c . try.sh)" -ge 3
        sh -eux try.sh
        """
      )
    }

    @Test("Accounts that have another password are left alone, and named")
    func seed_otherPassword_isRefused() async throws {
      try await check(
        policy: "smart-home",
        """
        gatehouse seed --product journal
        export GATEHOUSE_PASSWORD='some other pass phrase'
        gatehouse seed --product journal 2> err && exit 9 || test $? = 1
        grep 'mia@journal.example has another password; give the one of the first run' err
        """
      )
    }
  }
}
