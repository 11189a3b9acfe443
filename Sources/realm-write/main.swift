import Glibc
import ToolKit

exit(Tools.write(CommandLine.arguments))
