/// State of a class that only one thread uses, with a check for overlapping uses that costs next to
/// nothing.
///
/// Swift checks at run time that a class's stored property is not changed while it is in use, unless it
/// can prove that at compile time, which it cannot for a structure whose methods allocate or release.
/// The check searches the thread's uses in progress, which took a fifth of the instructions of an empty
/// call. For state that never leaves a thread, a count beside it finds the same mistakes in four
/// instructions. The owner says which thread that is, and checks it, as everything else that is
/// confined to a loop does.
///
/// Meant for a `let` of the owner, with a computed property in front of it:
///
/// ```swift
/// private let confinedMachine: Confined<Machine>
/// var machine: Machine {
///   _read { yield confinedMachine.value }
///   _modify { yield &confinedMachine.value }
/// }
/// ```
@safe
@usableFromInline
package struct Confined<Value: ~Copyable>: ~Copyable {
  @usableFromInline
  package struct Storage: ~Copyable {
    /// Reads in progress; below zero while the value is being changed.
    @usableFromInline var useCount = 0
    @usableFromInline var value: Value

    @usableFromInline
    init(_ value: consuming Value) {
      self.value = value
    }
  }

  @usableFromInline let storage: UnsafeMutablePointer<Storage>

  /// Begins with a value.
  @inlinable
  package init(_ value: consuming Value) {
    unsafe storage = .allocate(capacity: 1)
    unsafe storage.initialize(to: Storage(value))
  }

  @inlinable
  deinit {
    unsafe storage.deinitialize(count: 1)
    unsafe storage.deallocate()
  }

  /// The state.
  ///
  /// Traps when it is changed while it is in use, or used while it is being changed.
  @inlinable
  package var value: Value {
    @inline(__always)
    _read {
      unsafe precondition(storage.pointee.useCount >= 0, "confined state is used while it changes")
      unsafe storage.pointee.useCount &+= 1
      defer { unsafe storage.pointee.useCount &-= 1 }
      yield unsafe storage.pointee.value
    }
    @inline(__always)
    nonmutating _modify {
      unsafe precondition(storage.pointee.useCount == 0, "confined state is changed while in use")
      unsafe storage.pointee.useCount = -1
      defer { unsafe storage.pointee.useCount = 0 }
      yield unsafe &storage.pointee.value
    }
  }
}
