import ServiceKit

/// The store of the simulated service: houses with owners, guests, accounts with points, parcels to be handed over.
///
/// Owners and guests are decided about by memory that follows changes, as the services decide; points by the store.
enum Household {
  static let applicationID: Int32 = 0x4748_5453
  static let address = "postgresql://gatehouse@db1,db2/household"
  /// Houses, accounts and owners, which are there from the beginning.
  static let houses = ["h1", "h2"]
  static let accounts = ["a1", "a2"]
  static let people = ["u1", "u2", "u3"]
  static let firstOwners: [String: Set<String>] = ["h1": ["u1", "u2"], "h2": ["u2", "u3"]]

  static let migrations = [
    Migration(
      version: 1,
      sql: """
        CREATE TABLE owner (house TEXT NOT NULL, person TEXT NOT NULL, PRIMARY KEY (house, person))
          WITHOUT ROWID;
        CREATE TABLE former_guest (person TEXT PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE account (
          name TEXT PRIMARY KEY,
          balance INTEGER NOT NULL CHECK (balance >= 0)
        ) WITHOUT ROWID;
        CREATE TABLE entry (
          number INTEGER PRIMARY KEY AUTOINCREMENT,
          request TEXT NOT NULL,
          account TEXT NOT NULL,
          amount INTEGER NOT NULL
        );
        CREATE TABLE parcel (name TEXT PRIMARY KEY, attempts INTEGER NOT NULL, due_at INTEGER NOT NULL)
          WITHOUT ROWID;
        CREATE INDEX parcel_by_due ON parcel (due_at, name);
        CREATE TABLE receipt (number INTEGER PRIMARY KEY AUTOINCREMENT, parcel TEXT NOT NULL);
        """
    )
  ]

  /// A wish of a client; each is carried out once.
  enum Wish: Hashable, Sendable {
    case join(house: String, person: String)
    case leave(house: String, person: String)
    case addPoints(account: String, amount: Int64)
    case endStay(person: String)
    case send(parcel: String)

    /// Whether it is written beside others; some points are, and some are not.
    var isUnordered: Bool {
      if case .addPoints(_, let amount) = self { amount % 3 != 0 } else { false }
    }

    /// Logs the change of points; whether its revision is known, as it is to some that began beside others.
    func announce(_ tx: borrowing WriteTransaction) throws -> Bool {
      guard case .addPoints(let account, let amount) = self else { return true }
      guard isUnordered, amount > -4 else {
        try tx.appendChange(kind: "points", subject: account, scope: "")
        return true
      }
      try tx.announce(kind: "points", subject: account)
      return false
    }

    /// All that it reads in the store and changes.
    var head: ConflictKey {
      switch self {
      case .join(let house, _), .leave(let house, _): ConflictKey("house", house)
      case .addPoints(let account, _): ConflictKey("account", account)
      case .endStay(let person): ConflictKey("guest", person)
      case .send(let parcel): ConflictKey("parcel", parcel)
      }
    }
  }
}
