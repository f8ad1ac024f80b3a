extension Suite {
    /// In nanoseconds a step, with what it takes elsewhere, measured once on one machine: the ratios to the floor hold
    /// anywhere, these figures only there.
    static let futures: [Suite] = [
        .createObserveResolve, .mapLinkPending, .mapLinkResolved, .flatMapLink, .allOverThousand, .handoffToWait,
    ]

    static func ofThousand(_ id: String, _ name: String, floor: Case, _ contenders: Case...) -> Suite {
        Suite(section: .futures, id: id, name: name, unit: .nanosecondsOfThousand, floor: floor, contenders: contenders)
    }
}

extension Case {
    static let thousand = Unit.nanosecondsOfThousand.stepsPerSlot

    /// A run whose `steps` does a thousand steps and comes to `expected`.
    static func timing(expecting expected: Int, _ steps: @escaping () throws -> Int) -> Run {
        timing {
            let result = try steps()
            guard result == expected else { throw Failure("\(result) is not \(expected)") }
        }
    }

    /// Where it is measured: no slower than this.
    static let loopFutures = [Rival("swift-nio, on its loop", atLeast: 1)]

    static func references(nio: Double, promiseKit: Double?, prototype: Double) -> [Reference] {
        [Reference("swift-nio", nio)] + (promiseKit.map { [Reference("PromiseKit", $0)] } ?? [])
            + [Reference("prototype", prototype)]
    }
}
