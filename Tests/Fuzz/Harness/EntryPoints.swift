#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The target named by `FUZZ_TARGET`.
private let chosen: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.named(name) else { stop("fuzz: there is no target \"\(name)\"") }
    return target
}()

/// Called by libFuzzer before the first input. Modes other than fuzzing end here: `FUZZ_MODE` and its arguments.
@_cdecl("LLVMFuzzerInitialize")
public func fuzzerInitialize(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>
) -> CInt {
    let environment = ProcessInfo.processInfo.environment
    guard let mode = environment["FUZZ_MODE"] else { return 0 }
    let words = ProcessInfo.processInfo.arguments.dropFirst()
    switch (mode, words.first, words.dropFirst().first) {
    case ("list", _, _): print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
    case ("unpack", let file?, let directory?): unpack(file, into: directory)
    case ("line", let file?, _): print(SeedFile.line([UInt8](contents(file))))
    case ("scaling", let file?, let count?): scale(file, by: max(1, Int(count) ?? 1))
    default: stop("fuzz: FUZZ_MODE is list, unpack FILE DIRECTORY, line FILE or scaling FILE COUNT")
    }
    exit(0)
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzerTestOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosen.run(FuzzInput(Array(UnsafeBufferPointer(start: bytes, count: count))))
    return 0
}

/// Writes each seed to its own file, as libFuzzer requires.
private func unpack(_ file: String, into directory: String) {
    for (index, input) in seeds(file).enumerated() {
        do { try Data(input).write(to: URL(filePath: "\(directory)/seed-\(index)")) } catch { stop("fuzz: \(error)") }
    }
}

private func scale(_ file: String, by count: Int) {
    var isLinear = true
    let inputs = Scaling(target: chosen, count: count).run(seeds(file)) { sentence in
        isLinear = false
        complain(sentence)
    }
    print(inputs)
    if !isLinear { exit(1) }
}

private func seeds(_ file: String) -> [[UInt8]] {
    guard let seeds = SeedFile.inputs(file) else { stop("fuzz: \(file) cannot be read") }
    return seeds
}

private func contents(_ file: String) -> Data {
    guard let data = try? Data(contentsOf: URL(filePath: file)) else { stop("fuzz: \(file) cannot be read") }
    return data
}

private func complain(_ sentence: String) {
    _ = (sentence + "\n").withCString { write(STDERR_FILENO, $0, strlen($0)) }
}

private func stop(_ sentence: String) -> Never {
    complain(sentence)
    exit(1)
}
