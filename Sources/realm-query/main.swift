import Glibc
import ToolKit

exit(Tools.query(CommandLine.arguments))
