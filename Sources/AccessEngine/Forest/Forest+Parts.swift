internal import PackedTables

/// Forests of a part of the store, made for a few decisions and thrown away after them.
extension Forest {
  /// Notes a role of a subject that may be held on something that is not in memory: it tells one denial from another.
  package mutating func noteRole(_ role: RoleID, of subject: String) {
    associations.note(role, of: subjects.intern(subject))
  }
}
