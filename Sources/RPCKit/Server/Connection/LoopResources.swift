/// The resources that connections of one loop of a server share, because they are too large to have for each.
///
/// `@unchecked Sendable`: handed from loop to loop, but used on its own loop only.
package final class LoopResources: @unchecked Sendable {
  package let loop: any EventLoop
  /// Writes frames, and reads deflated ones.
  let codec = FrameCodec()
  /// Deflates and inflates for wires whose requests name the format.
  package var compression: MessageCompression { codec.compression }
  /// Runs handlers.
  let workers: HandlerWorkers
  /// Handlers of this loop's calls that work, as `AdmissionControl` counts them for all loops.
  var workingCount = 0
  /// The bytes that the connections of this loop hold.
  var held = HeldByteCounts()
  /// TLS handshakes of this loop's connections that are under way.
  var handshakes: HandshakeTable
  /// Memory that the output of one connection gave back, for the next one that has output.
  private var spareOutput = ByteBuffer()

  /// `loopCount` loops share what the server may have.
  init(_ loop: any EventLoop, _ limits: Limits = Limits(), loopCount: Int = 1) {
    self.loop = loop
    workers = HandlerWorkers(loop)
    handshakes = HandshakeTable(limits, loopCount: loopCount)
  }

  /// The most memory that is kept for the next output, in bytes.
  private static let spareOutputByteCountMax = 16 << 10

  /// Gives an output without memory what another one gave back.
  func lendMemory(to output: inout ByteBuffer) {
    if output.allocatedByteCount == 0 { swap(&output, &spareOutput) }
  }

  /// Takes the memory of an output in which nothing waits.
  func takeMemory(of output: inout ByteBuffer) {
    guard output.allocatedByteCount > 0 else { return }
    var memory = ByteBuffer()
    swap(&memory, &output)
    if memory.allocatedByteCount <= Self.spareOutputByteCountMax { swap(&memory, &spareOutput) }
  }
}
