extension StorePlace {
  /// The store at this place, to be copied.
  func copySource(_ definition: StoreDefinition) throws(StoreError) -> any StoreCopySource {
    if let server { return try ServerCopySource(server, definition) }
    return try FileCopySource(path, definition)
  }

  /// This place, to get a copy.
  func copyTarget(_ definition: StoreDefinition) -> any StoreCopyTarget {
    if let server { return ServerCopyTarget(location: server, definition: definition) }
    return FileCopyTarget(path: path, definition: definition)
  }
}
