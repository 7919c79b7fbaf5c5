@testable import RPCKit

/// Remembers everything a transport says, and writes what it was given as there is room.
final class RecordingReceiver: TransportReceiver {
  private(set) var connectedCount = 0
  private(set) var received: [UInt8] = []
  private(set) var endCount = 0
  private(set) var writableCount = 0
  private(set) var closings: [TransportError?] = []
  var output = ByteBuffer()
  weak var transport: TLSTransport?
  /// Called with each piece of plaintext, for tests that react to it.
  var onReceived: (() -> Void)?

  var isClosed: Bool { !closings.isEmpty }
  /// Why the stream closed, if an error was why.
  var error: TransportError? { closings.first ?? nil }

  func send(_ bytes: [UInt8]) {
    output.append(bytes.span)
    transport?.write(from: &output)
  }

  /// Gives back the memory of what was received and sent.
  func forget() {
    received = []
    if output.isEmpty { output.release() }
  }

  func transportConnected() { connectedCount += 1 }

  func transportReceived(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe received.append(contentsOf: $0) }
    onReceived?()
  }

  func transportReceivedEnd() { endCount += 1 }

  func transportBecameWritable() {
    writableCount += 1
    transport?.write(from: &output)
  }

  func transportClosed(_ error: TransportError?) { closings.append(error) }
}
