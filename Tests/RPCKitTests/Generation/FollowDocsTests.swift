import Foundation
import Testing

/// `scripts/checks/follow-docs`, which types the commands of a page and compares what comes with what it shows.
@Suite struct FollowDocsTests {
  /// What the script says of a page.
  private func follow(_ page: String) throws -> (Protoc.Outcome, transcript: String) {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "page.md")
    try Data(page.utf8).write(to: file)
    let transcript = folder.appending(path: "transcript.txt")
    let outcome = try Protoc.run(
      Protoc.root.appending(path: "scripts/checks/follow-docs"),
      ["--here", "--transcript", transcript.path, file.path]
    )
    return (outcome, (try? String(contentsOf: transcript, encoding: .utf8)) ?? "")
  }

  /// A page of one block in the language `console`.
  private func console(_ lines: String) -> String { "# Title\n\n```console\n\(lines)\n```\n" }

  @Test("A page that shows what comes, with other identifiers, times and numbers, is fine")
  func truePage_passes() throws {
    let (outcome, transcript) = try follow(
      console(
        """
        $ echo 'made usr_06h06f17g6rdmbf9k00dxppdjm in 17 ms at 2026-11-22T13:33:12.063Z'
        made usr_06zzzzzzzzzzzzzzzzzzzzzzzz in 4 ms at 2020-01-01T00:00:00.000Z
        $ printf 'id    name\\nusr_06h06f17g6rdmbf9k00dxppdjm  Ada\\nand more\\nend\\n'
        id                              name
        usr_06zzzzzzzzzzzzzzzzzzzzzzzz  A…
        […]
        end
        $ echo "asked for usr_06zzzzzzzzzzzzzzzzzzzzzzzz"
        asked for usr_06zzzzzzzzzzzzzzzzzzzzzzzz
        $ word=kept
        """
      ) + "```sh\ntest \"$word\" = kept   # the same shell\n! false\n```\n```\nno commands\n```\n"
    )
    #expect(outcome.errors == "")
    #expect(outcome.status == 0)
    // The page's identifier was replaced by the one of this run before it was typed.
    #expect(transcript.contains("$ echo \"asked for usr_06h06f17g6rdmbf9k00dxppdjm\""))
    #expect(transcript.contains("# 6 commands"))
  }

  @Test(
    "A planted line that is not so is found, with its page, line, command, and what came instead",
    arguments: [
      ("$ echo allowed\nrefused", "page.md:4: echo allowed\nexpected: refused\ngot: allowed"),
      ("$ true\n$ printf 'a\\nb\\n'\na\nb\nc", "page.md:5: "),
      ("$ printf 'a\\nb\\n'\na", "expected: nothing more\ngot: b"),
      ("$ printf 'a\\nb\\n'\n[…]\nc", "expected: c\ngot: no such line"),
      ("$ false", "expected: success\ngot: exit code 1"),
      ("$ no-such-program-anywhere", "got: exit code 127"),
      (
        "$ echo usr_06h06f17g6rdmbf9k00dxppdjm\nprt_06h06f17g6rdmbf9k00dxppdjm",
        "expected: prt_06h06f17g6rdmbf9k00dxppdjm"
      ),
      ("$ echo 'not closed", "the command has no end"),
      ("nothing was typed", "output without a command"),
    ]
  )
  func brokenPage_fails(_ lines: String, says: String) throws {
    let (outcome, transcript) = try follow(console(lines))
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("page.md:"))
    #expect(outcome.errors.contains(says))
    #expect(transcript.contains("# FAILED: "))
  }

  @Test("What a page calls by one name has one name in the run too")
  func identifiers_areTheSameThroughout() throws {
    let (outcome, _) = try follow(
      console(
        """
        $ echo usr_06h06f17g6rdmbf9k00dxppdjm
        usr_06zzzzzzzzzzzzzzzzzzzzzzzz
        $ echo usr_06aaaaaaaaaaaaaaaaaaaaaaaa
        usr_06zzzzzzzzzzzzzzzzzzzzzzzz
        """
      )
    )
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("page.md:6: "))
  }
}
