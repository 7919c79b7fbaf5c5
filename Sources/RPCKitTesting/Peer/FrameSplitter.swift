/// Cuts the bytes of one direction into frames.
package final class FrameSplitter {
  private var pending: [UInt8] = []

  /// Makes a splitter that has seen nothing.
  package init() {}

  /// Adds bytes and takes the frames that are complete now.
  package func take(_ bytes: [UInt8]) -> [WireFrame] {
    pending += bytes
    var frames: [WireFrame] = []
    var start = 0
    while let frame = WireFrame(pending[start...]) {
      frames.append(frame)
      start += 10 + frame.payload.count
    }
    pending.removeFirst(start)
    return frames
  }
}
