/// How many descriptors this process may have open, connections among them (getrlimit(2)).
public enum DescriptorLimit {
  /// The soft limit in force, for what is open at a time; 0 when it is not known.
  package static var current: Int { Syscall.descriptorLimit() }

  /// How many descriptors are open; 0 when it is not known.
  package static var openCount: Int { Syscall.openDescriptorCount() }

  /// Raises the soft limit to the hard one, and returns the one in force.
  ///
  /// For the start of a program. The soft limit is 1,024 nearly everywhere, for the sake of programs
  /// that call select(2), which takes no greater descriptor: nothing in RPCKit does. A server would
  /// run out of it at a twentieth of `Limits.connectionCountMax`. What the kernel refuses stays as it
  /// is.
  @discardableResult
  public static func raise() -> Int { Syscall.raiseDescriptorLimit() }
}
