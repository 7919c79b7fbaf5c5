internal import AccessEngine
internal import ServiceKit

/// Entities of a type in the whole store, or those of them that are roots of trees.
extension EntityTable {
  private static func condition(_ list: EntityList) -> String {
    list.parent.isEmpty ? "type = ?" : "type = ? AND parent_id = ?"
  }

  private static func values(_ list: EntityList) -> [SQLValue] {
    [.text(list.type)] + (list.parent.isEmpty ? [] : [.text(list.parent)])
  }

  /// How many there are.
  static func count(of list: EntityList, in tx: borrowing ReadTransaction) throws -> Int {
    let sql = "SELECT count(*) FROM entity WHERE \(condition(list))"
    return Int(try tx.query(sql, values: values(list)) { $0.integer(0) }.first ?? 0)
  }

  /// The first of them after a place.
  static func places(
    of list: EntityList,
    _ order: PlaceOrder,
    limit: Int,
    in tx: borrowing ReadTransaction
  ) throws -> [ListPlace] {
    let (direction, comparison) = order.isDescending ? ("DESC", "<") : ("ASC", ">")
    let columns = order.sortsByName ? ["name", "id"] : ["id"]
    var (condition, values) = (condition(list), values(list))
    if let cursor = order.cursor {
      let places = Placeholders.list(columns.count)
      condition += " AND (\(columns.joined(separator: ", "))) \(comparison) (\(places))"
      values += ((order.sortsByName ? [cursor.name] : []) + [cursor.id]).map { .text($0) }
    }
    let sorting = columns.map { "\($0) \(direction)" }.joined(separator: ", ")
    return try tx.query(
      "SELECT name, id FROM entity WHERE \(condition) ORDER BY \(sorting) LIMIT ?",
      values: values + [.integer(Int64(limit))]
    ) { ListPlace(name: $0.text(0), id: $0.text(1)) }
  }

  /// The first of them after an identifier, in the order of identifiers.
  static func rows(
    of list: EntityList,
    after id: String,
    limit: Int,
    in tx: borrowing ReadTransaction
  ) throws -> [EntityRecord] {
    try tx.query(
      EntityRecord.columns,
      "WHERE \(condition(list)) AND id > ? ORDER BY id LIMIT ?",
      values: values(list) + [.text(id), .integer(Int64(limit))]
    )
  }
}
