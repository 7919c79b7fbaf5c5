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

  /// `loopCount` loops share what the server may have.
  init(_ loop: any EventLoop, _ limits: Limits = Limits(), loopCount: Int = 1) {
    self.loop = loop
    workers = HandlerWorkers(loop)
    handshakes = HandshakeTable(limits, loopCount: loopCount)
  }
}
