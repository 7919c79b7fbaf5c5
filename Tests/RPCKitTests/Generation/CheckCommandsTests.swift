import Foundation
import Testing

/// `scripts/checks/commands`, which looks whether the commands of the pages exist.
@Suite struct CheckCommandsTests {
  /// A stand-in for `gatehouse`: it knows two commands, one method, and one field of its request.
  private static let gatehouse = """
    #!/bin/bash
    case "$1" in
      help) printf '  call  call a method\\n  logs  find one\\n  --request ID  what to find\\n' ;;
      call) [[ $2 == Homes/Create ]] || { echo "gatehouse: no method $2" >&2; exit 2; }
        [[ $3 != *nam\\"* ]] || { echo 'gatehouse: no field "nam"' >&2; exit 2; }
        exit 4 ;;
    esac
    """
  private static let service = """
    #!/bin/bash
    echo '  auth-service backup FILE [--config FILE]'
    """

  /// What the script says of a page.
  private func check(_ page: String) throws -> Protoc.Outcome {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in [("gatehouse", Self.gatehouse), ("auth-service", Self.service)] {
      let program = folder.appending(path: name)
      try Data(text.utf8).write(to: program)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    }
    let file = folder.appending(path: "page.md")
    try Data(page.utf8).write(to: file)
    return try Protoc.run(
      Protoc.root.appending(path: "scripts/checks/commands"),
      [folder.path, file.path]
    )
  }

  @Test("Commands that exist are fine, as are placeholders and a refusal that the page shows")
  func rightCommands_pass() throws {
    let outcome = try check(
      """
      Run `scripts/demo --keep`, then `gatehouse logs --request ID`.
      ```sh
      NAME=1 scripts/test-store buy PRODUCT | gatehouse call Homes/Create -   # why
      for x in a b; do auth-service backup "$x" --config auth.json; done >/dev/null 2>&1
      TOKEN=$(gatehouse call Homes/Create '{"name": "x"}') …/their-program --anything
      ```
      ```console
      $ gatehouse call Homes/Create '{"nam": "x"}'
      gatehouse: no field "nam"
      ```
      """
    )
    #expect(outcome.errors == "")
    #expect(outcome.status == 0)
  }

  @Test(
    "A planted mistake is found, with its page and line",
    arguments: [
      ("scripts/dem", "there is no script scripts/dem"),
      ("scripts/demo --kepp", "scripts/demo has no option --kepp"),
      ("scripts/test-store sell PRODUCT", "scripts/test-store has no command sell"),
      ("gatehouse cal Homes/Create", "gatehouse has no command cal"),
      ("gatehouse logs --reqest ID", "gatehouse has no option --reqest"),
      ("gatehouse call Homes/Creat", "no method Homes/Creat"),
      ("gatehouse call Homes/Create '{\"nam\": 1}'", "no field \"nam\""),
      ("auth-service back-up FILE", "auth-service has no command back-up"),
      ("auth-service backup FILE --confg x", "auth-service has no option --confg"),
      ("true | crul -s x", "nobody knows the program true"),
      ("echo x | crul -s x", "nobody knows the program crul"),
      ("echo $(gatehouse cal Homes/Create)", "gatehouse has no command cal"),
      ("echo 'not closed", "the command has no end"),
    ]
  )
  func plantedMistake_isFound(_ command: String, says: String) throws {
    let outcome = try check("# Title\n```sh\n\(command)\n```\n")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("page.md:3: "))
    #expect(outcome.errors.contains(says))
  }

  @Test("A mistake in backquotes is found, and a block of commands that is not marked as one")
  func proseAndUnmarkedBlocks_areLookedAt() throws {
    let outcome = try check("Run `scripts/demo --kepp`.\n```\nscripts/demo\n```\n")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("page.md:1: scripts/demo has no option --kepp"))
    #expect(outcome.errors.contains("page.md:3: a block of commands is marked"))
  }
}
