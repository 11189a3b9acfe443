import CoreTasks
import Glibc

exit(CoreBench.run(CommandLine.arguments))
