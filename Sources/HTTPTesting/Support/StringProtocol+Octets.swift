extension StringProtocol {
    /// Whether both are the same on the wire, where Unicode-equivalent texts differ.
    package func hasOctets(of other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}
