import Testing

@testable import ServiceKit

@Suite("Steps that keep older programs")
struct ExpansionTests {
  @Test(
    "Tables, indexes and columns that may be absent are expansions",
    arguments: [
      "CREATE TABLE shelf (id TEXT PRIMARY KEY, width BIGINT NOT NULL CHECK (width > 0));",
      """
      CREATE TABLE shelf (id TEXT PRIMARY KEY);
      CREATE TABLE board (shelf_id TEXT NOT NULL REFERENCES shelf (id), place BIGINT NOT NULL);
      CREATE UNIQUE INDEX board_by_place ON board (shelf_id, place);
      """,
      """
      -- For a list by colour.
      ALTER TABLE note ADD COLUMN colour TEXT;
      CREATE INDEX note_by_colour ON note (colour) WHERE colour IS NOT NULL;
      """,
      "alter table note add column colour text not null default 'CHECK; REFERENCES'",
    ]
  )
  func addition_isExpansion(_ sql: String) {
    #expect(Expansion.finding(in: sql) == nil)
  }

  @Test(
    "Whatever older programs would notice is named",
    arguments: [
      ("ALTER TABLE note ADD COLUMN colour TEXT NOT NULL", "colour is NOT NULL"),
      ("ALTER TABLE note ADD COLUMN size BIGINT CHECK (size > length(text))", "the rule CHECK"),
      ("ALTER TABLE note ADD COLUMN shelf TEXT REFERENCES shelf (id)", "the rule REFERENCES"),
      ("ALTER TABLE note ADD COLUMN code TEXT UNIQUE", "the rule UNIQUE"),
      ("ALTER TABLE note DROP COLUMN text", "other than by ADD COLUMN"),
      ("ALTER TABLE note RENAME TO page", "other than by ADD COLUMN"),
      ("ALTER TABLE note ADD CONSTRAINT c CHECK (text <> '')", "other than by ADD COLUMN"),
      ("CREATE UNIQUE INDEX note_by_text ON note (text)", "rows of note"),
      ("CREATE TABLE board (note TEXT REFERENCES note (id))", "refers to note"),
      ("CREATE TABLE shelf (id TEXT); UPDATE note SET text = ''", "UPDATE NOTE SET"),
      ("DROP INDEX note_by_colour", "DROP INDEX"),
      ("INSERT INTO note VALUES ('a', 'milk')", "INSERT INTO NOTE"),
      ("CREATE TRIGGER t BEFORE UPDATE ON note BEGIN SELECT 1; END", "a trigger"),
    ]
  )
  func otherStep_isNamed(_ sql: String, _ part: String) {
    let finding = Expansion.finding(in: sql) ?? "nothing"
    #expect(finding.contains(part), "\(finding)")
  }

  @Test("Triggers of PostgreSQL alone are none either")
  func triggersOfServer_areNamed() {
    let finding = Expansion.finding(in: "CREATE TABLE a (b TEXT)", triggers: "CREATE TRIGGER …")
    #expect(finding == "it makes or removes a trigger")
  }
}
