import Glibc
import Tools

exit(Tools.run(as: "realm-query"))
