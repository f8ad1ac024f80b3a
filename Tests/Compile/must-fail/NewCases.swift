// A later version may add a case to these enums, so a switch outside of the package needs a default.
// expect: switch covers known cases, but 'TimeoutFailure.Limit' may have additional unknown values, possibly added in future versions
// expect: switch covers known cases, but 'Overload.Reason' may have additional unknown values, possibly added in future versions
import HTTPAsync
import HTTPCore

func setting(_ limit: TimeoutFailure.Limit) -> String {
    switch limit {
    case .connect: "connectTimeout"
    case .idle: "idleTimeout"
    case .total: "timeout"
    }
}

func isBusy(_ reason: Overload.Reason) -> Bool {
    switch reason {
    case .queueFull: true
    case .noThreads: false
    }
}
