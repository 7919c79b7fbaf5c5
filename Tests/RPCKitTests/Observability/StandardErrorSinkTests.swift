import Foundation
import Testing

@testable import RPCKit

@Suite struct StandardErrorSinkTests {
  /// A pipe whose ends close when it goes away.
  private struct TestPipe {
    private let pipe = Pipe()
    var writing: Int32 { pipe.fileHandleForWriting.fileDescriptor }

    /// Reads what is there, at least one byte, and continues until there are enough.
    func read(byteCountMin: Int = 1) -> String {
      var data = Data()
      while data.count < byteCountMin { data += pipe.fileHandleForReading.availableData }
      return String(decoding: data, as: UTF8.self)
    }
  }

  @Test("After a flush every line is written, whole and in order")
  func flush_lines_areWritten() {
    let pipe = TestPipe()
    let sink = StandardErrorSink(descriptor: pipe.writing)
    for index in 0..<100 { sink.write(Array("{\"n\":\(index)}\n".utf8)) }
    sink.flush()
    #expect(pipe.read() == (0..<100).map { "{\"n\":\($0)}\n" }.joined())
    #expect(sink.droppedLineCount == 0)
  }

  @Test("The thread writes without being flushed")
  func write_line_isWrittenByThread() {
    let pipe = TestPipe()
    let sink = StandardErrorSink(descriptor: pipe.writing)
    sink.write(Array("one\n".utf8))
    #expect(pipe.read() == "one\n")
    sink.write(Array("two\n".utf8))
    #expect(pipe.read() == "two\n")
  }

  @Test("Lines of many tasks never mix")
  func write_manyTasks_linesStayWhole() async {
    let pipe = TestPipe()
    let sink = StandardErrorSink(descriptor: pipe.writing)
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          let line = Array((String(repeating: "\(task)", count: 300) + "\n").utf8)
          for _ in 0..<20 { sink.write(line) }
        }
      }
    }
    sink.flush()
    let lines = pipe.read(byteCountMin: 160 * 301).split(separator: "\n")
    #expect(lines.count == 160)
    #expect(lines.allSatisfy { $0.count == 300 && Set($0).count == 1 })
  }

  @Test("A full queue drops lines, counts them and says so in a line")
  func queue_full_dropsAndReports() {
    let pipe = TestPipe()
    let queue = LogQueue(descriptor: pipe.writing, byteCountMax: 10, clock: SystemWallClock())
    #expect(queue.append(Array("1234\n".utf8)))
    #expect(!queue.append(Array("5678\n".utf8)))
    #expect(!queue.append(Array("9\n".utf8)))
    #expect(!queue.append(Array("0\n".utf8)))
    #expect(queue.droppedLineCount == 2)
    queue.drain()
    let text = pipe.read()
    #expect(text.hasPrefix("1234\n5678\n{\"time\":"))
    #expect(text.hasSuffix("\"message\":\"log lines dropped\",\"count\":2}\n"))
    #expect(queue.append(Array("more\n".utf8)))
  }

  @Test("A descriptor that takes nothing loses lines, not the process")
  func write_badDescriptor_countsDrops() {
    let sink = StandardErrorSink(descriptor: -1)
    sink.write(Array("lost\n".utf8))
    sink.flush()
    #expect(sink.droppedLineCount == 1)
  }
}
