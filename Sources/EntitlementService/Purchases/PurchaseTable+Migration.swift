internal import ServiceKit

extension PurchaseTable {
  /// Purchases name users by our identifiers, and customers by the store's references, in no store's words.
  static let namingMigration = Migration(
    version: 13,
    sql: """
      ALTER TABLE purchase RENAME COLUMN app_transaction_id TO customer_reference;
      ALTER TABLE purchase ADD COLUMN named_user_id TEXT;
      CREATE TABLE hex_digit (letter TEXT PRIMARY KEY, value BIGINT NOT NULL);
      \(insertions("hex_digit", "0123456789abcdef"))
      CREATE TABLE identifier_letter (letter TEXT PRIMARY KEY, value BIGINT NOT NULL);
      \(insertions("identifier_letter", "0123456789abcdefghjkmnpqrstvwxyz"))
      UPDATE purchase SET named_user_id = 'usr_' || \(letters) WHERE length(app_account_token) = 36;
      DROP TABLE hex_digit;
      DROP TABLE identifier_letter;
      DROP INDEX purchase_by_token;
      ALTER TABLE purchase DROP COLUMN app_account_token;
      CREATE INDEX purchase_by_named_user ON purchase (named_user_id)
        WHERE named_user_id IS NOT NULL;
      """
  )

  private static func insertions(_ table: String, _ letters: String) -> String {
    let rows = letters.enumerated().map { "('\($0.element)', \($0.offset))" }
    return "INSERT INTO \(table) (letter, value) VALUES \(rows.joined(separator: ", "));"
  }

  /// The 26 letters of a user's identifier as SQL, of the 32 digits of the UUID that stood for it: five bits a letter.
  private static let letters = (0..<26).map { place in
    let digit = place * 5 / 4
    let window = "\(value(of: digit)) * 16 + \(value(of: digit + 1))"
    let bits = "((\(window)) >> \(3 - place * 5 % 4)) & 31"
    return "(SELECT letter FROM identifier_letter WHERE value = (\(bits)))"
  }.joined(separator: " || ")

  /// The value of a digit of the UUID; what is behind the last one is 0.
  private static func value(of digit: Int) -> String {
    guard digit < 32 else { return "0" }
    let text = "substr(replace(app_account_token, '-', ''), \(digit + 1), 1)"
    return "(SELECT value FROM hex_digit WHERE letter = \(text))"
  }
}
