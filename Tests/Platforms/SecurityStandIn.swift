// Stands in for Apple's Security and the parts of Core Foundation that come with it: the functions that the sources
// use, with the signatures of Apple's documentation. Toll-free bridged types are the classes that they are bridged to;
// the others are separate classes. The bodies are never run.
public import Foundation

public typealias CFData = NSData
public typealias CFArray = NSArray
public typealias CFDictionary = NSDictionary
public typealias CFString = NSString
public typealias CFTypeRef = AnyObject
public typealias CFTypeID = UInt
public typealias CFIndex = Int
public typealias OSStatus = Int32
public final class CFAllocator {}
public final class CFError {}

public func CFGetTypeID(_ cf: CFTypeRef!) -> CFTypeID { 0 }
public func CFErrorGetCode(_ err: CFError!) -> CFIndex { 0 }
public func CFErrorCopyDescription(_ err: CFError!) -> CFString! { nil }

// As in Apple's headers, without known sendability.
public final class SecTrust {}
public final class SecCertificate {}
public final class SecIdentity {}

public let errSecSuccess: OSStatus = 0
public let errSecHostNameMismatch: OSStatus = -67602
public let errSecCertificateExpired: OSStatus = -67818
public let errSecCertificateNotValidYet: OSStatus = -67819
public let errSecCertificateRevoked: OSStatus = -67820

public var kSecImportExportPassphrase: CFString { "" }
public var kSecImportToMemoryOnly: CFString { "" }
public var kSecImportItemIdentity: CFString { "" }
public var kSecImportItemCertChain: CFString { "" }

public func SecPKCS12Import(
    _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus { 0 }
public func SecIdentityGetTypeID() -> CFTypeID { 0 }
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? { nil }
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? { nil }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { NSData() }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { nil }
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { false }
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> OSStatus { 0 }
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus { 0 }
