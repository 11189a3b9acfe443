import Glibc
import ToolKit

exit(Tools.bench(CommandLine.arguments))
