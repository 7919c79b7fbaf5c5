extension Policy {
  /// Types of all policies together, the system's counted, at most: they are bits of a word.
  static let typeCountMax = 64
  /// Roles of all policies together beside `super_admin` and `support`, at most: all of them are bits of a word.
  static let roleCountMax = 62
  /// Kinds of links of all policies together, at most.
  static let linkCountMax = 16
  /// Actions of all policies together, at most.
  static let actionCountMax = 1024
  /// Parameters of an operation, at most.
  static let parameterCountMax = 32
  /// Bytes of a unit.
  static let unitByteCounts: ClosedRange<Int> = 1...32
}
