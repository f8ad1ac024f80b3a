#ifndef STRAIGHTLINE_TRUST_H
#define STRAIGHTLINE_TRUST_H

#include <curl/curl.h>

/// Trusts the certificates in the file that SSL_CERT_FILE names, as other programs do; libcurl itself does not look there.
void trust_authority_of_environment(CURL *easy);

#endif
