/// Functions of SQLite that statements use, for the schema of a store.
enum PostgresFunctions {
  /// `json_type` and `json_extract` with SQLite's words, for paths of names in quotes: `$."address"."city"`.
  ///
  /// Their texts have the order of the first argument, that of bytes.
  static let declarations = """
    CREATE FUNCTION json_names(path text) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
      SELECT string_to_array(substr(path, 4, length(path) - 4), '"."')
    $$;
    CREATE FUNCTION json_type(data text, path text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
      SELECT CASE json_typeof(value)
        WHEN 'number' THEN 'real' WHEN 'string' THEN 'text'
        WHEN 'boolean' THEN CAST(value AS text) ELSE json_typeof(value) END
      FROM (SELECT CAST(data AS json) #> json_names(path) AS value) AS found
    $$;
    CREATE FUNCTION json_extract(data text, path text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
      SELECT CAST(data AS json) #>> json_names(path)
    $$
    """
}
