import Glibc
import ToolKit

exit(Tools.compact(CommandLine.arguments))
