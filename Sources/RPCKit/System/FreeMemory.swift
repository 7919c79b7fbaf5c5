/// Memory that was freed and that the C library keeps for later.
enum FreeMemory {
  /// Gives it back to the system (malloc_trim(3)).
  ///
  /// For the time after a burst: large buffers live beside small long-lived objects, so the heap does
  /// not shrink by itself. On a thread of its own, because it takes milliseconds for each 100 MiB.
  static func giveBack() {
    do {
      _ = try LoopThread(name: "trim") { Syscall.trimHeap() }
    } catch {
      // Without a thread the memory stays for the next burst.
    }
  }
}
