/// The file `PATH.moved` beside a store: it was copied elsewhere, to the place that the file names.
///
/// A copy makes it beside a store that a service may have open; the service looks for it in each transaction.
struct FileMove {
  private let path: String

  init(of path: String) { self.path = path }

  private var name: String { path + ".moved" }

  /// Throws `moved` for a store that was copied elsewhere.
  ///
  /// One stat(2), a small part of a write with its fsync(2).
  func refuse() throws(StoreError) {
    guard StoreFile.byteCount(name) != nil else { return }
    throw .moved(path: path, to: try target() ?? "another place")
  }

  /// Makes the file, and has the disk confirm it.
  func mark(for target: String) throws(StoreError) {
    let file = try StoreFileHandle.openPrivately(name)
    try file.empty()
    try file.write(Array(target.utf8), at: 0)
    try file.synchronize()
    try StoreFile.synchronizeFolder(of: path)
  }

  /// Removes the file; false when there is none.
  func unmark() throws(StoreError) -> Bool {
    guard StoreFile.byteCount(name) != nil else { return false }
    StoreFile.remove(name)
    try StoreFile.synchronizeFolder(of: path)
    return true
  }

  private func target() throws(StoreError) -> String? {
    guard let file = try StoreFileHandle.openForReading(name) else { return nil }
    var bytes = [UInt8](repeating: 0, count: min(try file.byteCount, 4096))
    _ = try file.read(into: &bytes, at: 0)
    return String(decoding: bytes, as: UTF8.self)
  }
}
