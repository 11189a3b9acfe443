import Glibc
import Tools

exit(Tools.run(CommandLine.arguments, as: "realm-bench"))
