/// The statements by which an engine lists the tables of a store.
///
/// Types are called INTEGER, TEXT and BLOB.
public struct StoreCatalog: Sendable {
  /// Table, name, type and place in the primary key (0 outside of it) of each column, in order.
  let columns: String
  /// Name of the key and of its column, for all keys of the table `?` that hold for every row.
  let uniqueKeys: String

  /// SQLite's.
  static let file = StoreCatalog(
    columns: """
      SELECT tables.name, columns.name,
        CASE columns.type WHEN 'BIGINT' THEN 'INTEGER' ELSE columns.type END, columns.pk
      FROM pragma_table_list AS tables JOIN pragma_table_info(tables.name) AS columns
      WHERE tables.schema = 'main' AND tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'
      ORDER BY tables.name, columns.cid
      """,
    uniqueKeys: """
      SELECT keys.name, columns.name
      FROM pragma_index_list(?) AS keys JOIN pragma_index_info(keys.name) AS columns
      WHERE keys."unique" = 1 AND keys.partial = 0 ORDER BY keys.name, columns.seqno
      """
  )

  /// PostgreSQL's, by the numbers of its types (pg_type).
  static let server = StoreCatalog(
    columns: """
      SELECT CAST(t.relname AS text), CAST(a.attname AS text),
        CASE a.atttypid WHEN 20 THEN 'INTEGER' WHEN 25 THEN 'TEXT' WHEN 17 THEN 'BLOB' ELSE '' END,
        coalesce(array_position(k.conkey, a.attnum), 0)
      FROM pg_class AS t
        JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_constraint AS k ON k.conrelid = t.oid AND k.contype = 'p'
      WHERE t.relkind = 'r' AND t.relname NOT IN ('store_schema', '\(TurnRows.tableName)')
        AND t.relnamespace = CAST(current_schema() AS regnamespace)
      ORDER BY t.relname, a.attnum
      """,
    uniqueKeys: """
      SELECT CAST(i.relname AS text), CAST(a.attname AS text)
      FROM pg_index AS x
        JOIN pg_class AS i ON i.oid = x.indexrelid
        JOIN pg_class AS t ON t.oid = x.indrelid
        JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = ANY (x.indkey)
      WHERE x.indisunique AND x.indpred IS NULL AND t.relname = ?
        AND t.relnamespace = CAST(current_schema() AS regnamespace)
      ORDER BY i.relname, a.attnum
      """
  )
}
