// alone
// in the package
import Straightline
