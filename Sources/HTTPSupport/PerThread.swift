/// One object per thread, made when the thread first uses it and released when the thread ends.
package struct PerThread<Object: AnyObject>: Sendable {
    private let key: pthread_key_t?
    private let make: @Sendable () -> Object

    package init(_ make: @escaping @Sendable () -> Object) {
        var key = pthread_key_t()
        self.key = pthread_key_create(&key, releaseAtThreadEnd) == 0 ? key : nil
        self.make = make
    }

    /// The thread's object. If the system cannot store one, each access makes a new one.
    package var object: Object {
        guard let key else { return make() }
        if let place = pthread_getspecific(key) { return Unmanaged.fromOpaque(place).takeUnretainedValue() }
        let made = Unmanaged.passRetained(make())
        guard pthread_setspecific(key, made.toOpaque()) == 0 else { return made.takeRetainedValue() }
        return made.takeUnretainedValue()
    }
}

#if canImport(Darwin)
private let releaseAtThreadEnd: @convention(c) (UnsafeMutableRawPointer) -> Void = {
    Unmanaged<AnyObject>.fromOpaque($0).release()
}
#else
private let releaseAtThreadEnd: @convention(c) (UnsafeMutableRawPointer?) -> Void = {
    if let object = $0 { Unmanaged<AnyObject>.fromOpaque(object).release() }
}
#endif
