import Testing

@testable import ToolKit
@testable import ToolSupport

@Suite struct ValueFormsTests {
    @Test func countsAreParsed() {
        #expect(ValueForms.count("0") == 0)
        #expect(ValueForms.count("0042") == 42)
        #expect(ValueForms.count("0x1F") == 31)
        #expect(ValueForms.count("0Xff") == 255)
        #expect(ValueForms.count("9223372036854775807") == Int.max)
        #expect(ValueForms.count("0x7fffffffffffffff") == Int.max)
        for bad in [
            "", "-1", "+1", " 1", "1 ", "1_000", "0x", "0xg", "x1", "1.0", "1e3", "٣",
            "9223372036854775808", "0x8000000000000000", "99999999999999999999999",
        ] {
            #expect(ValueForms.count(bad) == nil, "\(bad)")
        }
    }

    @Test func sizesAreParsed() {
        #expect(ValueForms.size("512") == 512)
        #expect(ValueForms.size("64KiB") == 65_536)
        #expect(ValueForms.size("64k") == 65_536)
        #expect(ValueForms.size("64K") == 65_536)
        #expect(ValueForms.size("4M") == 4 << 20)
        #expect(ValueForms.size("4MiB") == 4 << 20)
        #expect(ValueForms.size("1G") == 1 << 30)
        #expect(ValueForms.size("1GiB") == 1 << 30)
        #expect(ValueForms.size("2TiB") == 2 << 40)
        #expect(ValueForms.size("0x10") == 16)
        #expect(ValueForms.size("0x10k") == 16_384)
        for bad in ["", "k", "KiB", "64KB", "64kib", "64 k", "1.5M", "-1k", "4m", "8388608T"] {
            #expect(ValueForms.size(bad) == nil, "\(bad)")
        }
    }

    @Test func durationsAreParsed() {
        #expect(ValueForms.duration("250ms") == .milliseconds(250))
        #expect(ValueForms.duration("5s") == .seconds(5))
        #expect(ValueForms.duration("2m") == .seconds(120))
        #expect(ValueForms.duration("1h") == .seconds(3600))
        #expect(ValueForms.duration("0s") == .zero)
        for bad in ["", "5", "s", "5 s", "1.5s", "-1s", "1d", "5S", "9223372036854775807h"] {
            #expect(ValueForms.duration(bad) == nil, "\(bad)")
        }
    }

    @Test func quantitiesArePrintedWithUnits() {
        #expect(Quantity.bytes(0) == "0 B")
        #expect(Quantity.bytes(1023) == "1023 B")
        #expect(Quantity.bytes(1024) == "1.0 KiB")
        #expect(Quantity.bytes(86_221) == "84.2 KiB")
        #expect(Quantity.bytes((1 << 20) - 1) == "1.0 MiB")
        #expect(Quantity.bytes(2_480_343_613) == "2.3 GiB")
        #expect(Quantity.bytes(Int.max) == "8.0 EiB")
        #expect(Quantity.seconds(2.34) == "2.3 s")
        #expect(Quantity.seconds(240) == "4.0 min")
        #expect(Quantity.seconds(.infinity) == "1000000.0 h")
    }
}
