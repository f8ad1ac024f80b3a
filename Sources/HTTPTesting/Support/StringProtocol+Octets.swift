extension StringProtocol {
    /// Whether both are the same on the wire, where Unicode-equivalent texts differ.
    func hasOctets(of other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}
