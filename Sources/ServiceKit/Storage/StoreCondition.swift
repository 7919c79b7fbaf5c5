/// How a store is, for readiness checks.
public enum StoreCondition: Hashable, Sendable {
  /// The last commit succeeded. Next: `failing`, `broken`.
  case working
  /// The last commit failed, for example for lack of space; the next one may succeed.
  ///
  /// Next: `working`, `broken`.
  case failing(String)
  /// The disk did not confirm a write, so nothing more is written: restart the process, which
  /// recovers from what the disk really holds.
  ///
  /// Not tried again: after a failed fsync(2) the kernel may take lost pages for written ones.
  /// Terminal.
  case broken(String)
}
