// alone
// in the package
import HTTPAsync
import HTTPCore
import HTTPFutures
