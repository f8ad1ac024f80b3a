// alone
import Foundation
import HTTPArchiving
import HTTPTesting
import Straightline
