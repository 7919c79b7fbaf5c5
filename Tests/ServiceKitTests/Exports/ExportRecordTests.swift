import Testing

@testable import ServiceKit

@Suite("What an export says of other users")
struct ExportRecordTests {
  @Test(
    "Other users have no name, whatever stands around it",
    arguments: [
      ("usr_me", "usr_me"), ("usr_you", "usr_another"), ("user:usr_you", "user:usr_another"),
      ("asc_1 usr_you.", "asc_1 usr_another."),
      ("usr_me usr_you usr_me", "usr_me usr_another usr_me"),
      ("usr_me2", "usr_another"), ("usr_m", "usr_another"), ("usr_", "usr_another"),
      ("usr_you_usr_me", "usr_another"), ("Usr_you", "Usr_you"), ("", ""), ("nobody", "nobody"),
      ("é usr_youé", "é usr_anotheré"), ("usr_you,usr_they", "usr_another,usr_another"),
    ]
  )
  func text_othersNames_areReplaced(text: String, expected: String) {
    #expect(ExportRecord.withoutOthers(text, than: "usr_me") == expected)
  }
}
