/// Looks over the shoulder of the two ends of every simulated connection.
///
/// It learns what is written and read at the moment it happens, so it can tell an end that breaks a
/// rule from one that has not heard of something yet.
public protocol WireObserver: AnyObject {
  /// An end wrote bytes; connections are numbered in the order they were made.
  func wrote(_ bytes: [UInt8], connection: Int, byClient: Bool)

  /// An end is about to be given bytes.
  ///
  /// `hasUnwritten` says that it waits for room to write something it has finished already.
  func read(_ bytes: [UInt8], connection: Int, byClient: Bool, hasUnwritten: Bool)

  /// Both ends are closed.
  func closed(_ connection: Int)
}
