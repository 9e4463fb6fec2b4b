import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'

/** A certificate authority of the tunnel, which can sign for a few hosts only. */
export interface Authority {
  /** SHA-256 of the certificate, as 64 lower-case hex digits. */
  readonly fingerprint: string
  /** The hosts that its name constraints permit, lower case. */
  readonly hosts: readonly string[]
  readonly certificate: string
  /** PKCS #8, PEM. */
  readonly privateKey: string
  /** Times in ms since 1970. */
  readonly notBefore: number
  readonly notAfter: number
}

/** The organisational units of an authority's name repeat its hosts, so that they can be read without an ASN.1 parser. */
const UNIT = 'OU='

/** Reads an authority from PEM texts; null if they are damaged, do not belong together, or were not made by us. */
export function readAuthority(certificate: string, privateKey: string): Authority | null {
  try {
    const parsed = new X509Certificate(certificate)
    const key: KeyObject = createPrivateKey(privateKey)
    const units = parsed.subject.split('\n').filter((line) => line.startsWith(UNIT))
    if (!parsed.ca || units.length === 0 || !parsed.checkPrivateKey(key)) return null
    return {
      fingerprint: fingerprintOf(parsed),
      hosts: units.map((unit) => unit.slice(UNIT.length)),
      certificate,
      privateKey,
      notBefore: parsed.validFromDate.getTime(),
      notAfter: parsed.validToDate.getTime(),
    }
  } catch {
    // Not PEM, or not a certificate: the caller makes a new authority.
    return null
  }
}

/** Returns a certificate's SHA-256 as lower-case hex digits without colons. */
export const fingerprintOf = (certificate: X509Certificate): string =>
  certificate.fingerprint256.replaceAll(':', '').toLowerCase()

const BLOCK = /-----BEGIN ([A-Z ]+)-----[\s\S]+?-----END \1-----\n?/g

/** Returns the PEM blocks of a text, each ended by a newline. */
export const pemBlocks = (text: string): string[] =>
  [...text.matchAll(BLOCK)].map(([block]) => (block.endsWith('\n') ? block : `${block}\n`))
