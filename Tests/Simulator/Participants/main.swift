import Glibc
import SimulatedPlatform

sim_make_repeatable(CommandLine.unsafeArgv)
do {
    let command = try Command(CommandLine.arguments.dropFirst())
    sim_create()
    Run.prepare()
    exit(command.run() ? 0 : 1)
} catch {
    print(error.message)
    exit(2)
}
