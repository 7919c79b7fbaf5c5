public import RPCKit

extension Database {
  /// Gives the files of a store other names, so that the next start makes a new one; the new path.
  ///
  /// Nothing is deleted: what was at `PATH` is at `PATH.set-aside-TIME` then, its log and its marker
  /// beside it, and can be verified, opened or moved back there. Throws `StoreError`: `inUse` while a
  /// service has it open, `cannotOpen` when there is nothing.
  public static func setAside(
    _ path: String,
    clock: any WallClock = SystemWallClock()
  ) throws(StoreError) -> String {
    let path = try StoreFile.canonical(path)
    let marker = try StoreFileHandle.openPrivately(path + ".lock")
    guard try marker.lock() else { throw .inUse(path: path) }
    let target = "\(path).set-aside-\(clock.now)"
    let files = ["", "-wal", "-shm", "-journal", ".moved"].filter {
      StoreFile.byteCount(path + $0) != nil
    }
    var bytes = [UInt8](repeating: 0, count: try marker.byteCount)
    guard !files.isEmpty || !bytes.isEmpty else {
      throw .cannotOpen(path: path, detail: "there is no store; the next start creates one")
    }
    _ = try marker.read(into: &bytes, at: 0)
    let copy = try StoreFileHandle.openPrivately(target + ".lock")
    try copy.write(bytes, at: 0)
    try copy.synchronize()
    for suffix in files { try StoreFile.rename(path + suffix, to: target + suffix) }
    try StoreFile.synchronizeFolder(of: path)
    // The file stays, because somebody else may just be about to lock it.
    try marker.empty()
    try marker.synchronize()
    return target
  }

  /// Says that the store that lies at `path` now is the right one, although it is not as it was left:
  /// after a copy was put there by hand, or it was changed with another program.
  ///
  /// Checks its structure in full first and changes nothing but the marker. Throws `StoreError`: `inUse`
  /// while a service has it open, `corrupt`, `foreignFile`, `newerSchema`, `cannotOpen`.
  public static func accept(
    _ path: String,
    _ definition: StoreDefinition
  ) async throws(StoreError) {
    let path = try StoreFile.canonical(path)
    try await StoreThread.result(name: "store-accept") { () throws(StoreError) in
      let marker = try StoreFileHandle.openPrivately(path + ".lock")
      guard try marker.lock() else { throw .inUse(path: path) }
      guard StoreFile.byteCount(path) ?? 0 > 0 else {
        throw .cannotOpen(path: path, detail: "there is no store to accept")
      }
      let connection = try SQLiteConnection(path: path, role: .reader, cacheByteCount: 8 << 20)
      let schema = StoreSchema(connection: connection, applicationID: definition.applicationID)
      try schema.inspect(definition.migrations)
      try connection.check(.full)
      var accepted = StoreMarker()
      if let storeID = try schema.storeID() {
        accepted.identity = .init(storeID: storeID, applicationID: definition.applicationID)
        try accepted.write(to: marker)
      } else {
        try marker.empty()
      }
    }
  }
}
