import CurlFloor

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// One case alone in a process of its own: only there do memory and allocations belong to it.
enum SinglePass {
    private static let warmUp = 200

    /// In the child: does the work and prints the figures as JSON.
    static func run(_ arguments: Arguments) throws {
        let name = arguments.text("case") ?? ""
        guard let found = Suite.all.flatMap(\.cases).first(where: { $0.name == name }) else {
            throw Failure("there is no case \(name)")
        }
        let run = try found.prepare(Server(port: try arguments.number("port")))
        let count: Int = try arguments.number("requests")
        try withSlots(warmUp) { try run($0) }
        try withSlots(count) { slots in
            let before = allocations_so_far()
            try run(slots)
            let made = before < 0 ? nil : Double(allocations_so_far() - before) / Double(count)
            let memory = Memory(peakBytes: peak_resident_bytes(), allocationsPerRequest: made)
            print(String(decoding: try JSONEncoder().encode(memory), as: UTF8.self))
        }
    }

    /// In the parent: the figures of a child that ran `measured`. Nil if there is none to be had.
    static func memory(of measured: Case, _ server: Server, count: Int, counter: String?) -> Memory? {
        // Without the counter for the peak: its bookkeeping is not the case's.
        guard let peak = child(measured, server, count, preload: nil) else { return nil }
        let counted = counter.flatMap { child(measured, server, count, preload: $0) }
        return Memory(peakBytes: peak.peakBytes, allocationsPerRequest: counted?.allocationsPerRequest)
    }

    private static func child(_ measured: Case, _ server: Server, _ count: Int, preload: String?) -> Memory? {
        let program = CommandLine.arguments[0]
        let environment = preload.map { "LD_PRELOAD='\($0)' " } ?? ""
        let command = "\(environment)'\(program)' single --case '\(measured.name)' "
        guard let pipe = popen(command + "--port \(server.port) --requests \(count)", "r") else { return nil }
        defer { pclose(pipe) }
        var line = [CChar](repeating: 0, count: 4096)
        guard fgets(&line, CInt(line.count), pipe) != nil else { return nil }
        let text = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return try? JSONDecoder().decode(Memory.self, from: Data(text))
    }
}
