import Glibc
import ToolKit

exit(Tools.versions(CommandLine.arguments))
