extension UInt64 {
    /// The word with its bits mixed: each bit of the result depends on all bits of the word, and
    /// different words have different results.
    @inlinable package var mixed: UInt64 {
        var word = self
        word = (word ^ word &>> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word &>> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word &>> 31
    }
}
