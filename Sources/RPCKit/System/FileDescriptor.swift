/// An open descriptor with one owner; closed when the owner goes.
struct FileDescriptor: ~Copyable {
  /// The number, valid for as long as this value lives.
  let number: Int32

  /// Takes over a descriptor that nobody else will close.
  init(owning number: Int32) {
    precondition(number >= 0, "not a descriptor")
    self.number = number
  }

  deinit {
    Syscall.close(number)
  }

  /// Gives the number away; the new owner closes it.
  consuming func release() -> Int32 {
    let number = number
    discard self
    return number
  }
}

/// A descriptor on its way from one thread to another: taken once, or closed when dropped.
final class TransferredDescriptor: Sendable {
  private let number: Lock<Int32?>

  init(_ descriptor: consuming FileDescriptor) {
    number = Lock(descriptor.release())
  }

  /// Takes the descriptor; nil the second time.
  func take() -> FileDescriptor? {
    guard let number = number.withLock({ $0.take() }) else { return nil }
    return FileDescriptor(owning: number)
  }

  deinit {
    _ = take()
  }
}
