import 'reflect-metadata'
import { createPrivateKey, randomBytes, webcrypto, X509Certificate } from 'node:crypto'
import { AsnConvert } from '@peculiar/asn1-schema'
import { GeneralName, GeneralSubtree, GeneralSubtrees, NameConstraints } from '@peculiar/asn1-x509'
import * as x509 from '@peculiar/x509'
import { AspyError } from '../../../shared/contract/errors.ts'
import { readAuthority, type Authority } from './authority.ts'
import { DAY_MS } from '../../../shared/time-units.ts'

/**
 * Makes certificates (RFC 5280): authorities that can sign for a few hosts only, and the certificates of these hosts. Loaded
 * on demand, because the library takes longer to load than most of the app.
 */

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const NAME_CONSTRAINTS = '2.5.29.30'
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
const SERIAL_BYTES = 16

/** Clocks of virtual machines and containers may be behind. */
const BACKDATED_MS = DAY_MS

/** A certificate of one host and its private key, both PEM. */
export interface Leaf {
  readonly certificate: string
  readonly privateKey: string
}

interface AuthorityRequest {
  /** Host names, lower case. Their subdomains are excluded, as are all addresses. */
  readonly hosts: readonly string[]
  /** Times in ms since 1970. */
  readonly now: number
  readonly notAfter: number
}

/** Creates an authority with a new key. */
export async function createAuthority({ hosts, now, notAfter }: AuthorityRequest): Promise<Authority> {
  const keys = await newKeys()
  const serialNumber = newSerial()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber,
      name: [
        { CN: [`Aspy on this computer, ${serialNumber.slice(0, 8)}`] },
        { O: ['Aspy'] },
        ...hosts.map((host) => ({ OU: [host] })),
      ],
      notBefore: new Date(now - BACKDATED_MS),
      notAfter: new Date(notAfter),
      signingAlgorithm: P256,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
        new x509.ExtendedKeyUsageExtension([SERVER_AUTH]),
        new x509.Extension(NAME_CONSTRAINTS, true, nameConstraints(hosts)),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  )
  const made = readAuthority(`${certificate.toString('pem')}\n`, await privateKeyOf(keys))
  if (made === null) throw new AspyError('internal', 'the new certificate authority cannot be read')
  return made
}

/** Permits the hosts alone: not their subdomains, and no IP address of either family. */
function nameConstraints(hosts: readonly string[]): ArrayBuffer {
  const dns = (name: string) => new GeneralSubtree({ base: new GeneralName({ dNSName: name }) })
  const addresses = (range: string) => new GeneralSubtree({ base: new GeneralName({ iPAddress: range }) })
  return AsnConvert.serialize(
    new NameConstraints({
      permittedSubtrees: new GeneralSubtrees(hosts.map(dns)),
      excludedSubtrees: new GeneralSubtrees([
        ...hosts.map((host) => dns(`.${host}`)),
        addresses('0.0.0.0/0'),
        addresses('0:0:0:0:0:0:0:0/0'),
      ]),
    }),
  )
}

interface LeafRequest {
  readonly authority: Authority
  readonly host: string
  /** Times in ms since 1970. */
  readonly now: number
  readonly notAfter: number
}

/** Creates a certificate for a host with a new P-256 key. It is valid for no longer than its authority. */
export async function createLeaf({ authority, host, now, notAfter }: LeafRequest): Promise<Leaf> {
  const keys = await newKeys()
  const pkcs8 = createPrivateKey(authority.privateKey).export({ type: 'pkcs8', format: 'der' })
  const signingKey = await webcrypto.subtle.importKey('pkcs8', pkcs8, P256, false, ['sign'])
  const issuer = new x509.X509Certificate(new X509Certificate(authority.certificate).raw)
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber: newSerial(),
      subject: [{ CN: [host] }],
      issuer: issuer.subjectName,
      notBefore: new Date(Math.max(authority.notBefore, now - BACKDATED_MS)),
      notAfter: new Date(Math.min(authority.notAfter, notAfter)),
      signingAlgorithm: P256,
      publicKey: keys.publicKey,
      signingKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([SERVER_AUTH]),
        new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: host }]),
        await x509.AuthorityKeyIdentifierExtension.create(issuer, false, webcrypto),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  )
  return { certificate: `${certificate.toString('pem')}\n`, privateKey: await privateKeyOf(keys) }
}

const newKeys = (): Promise<webcrypto.CryptoKeyPair> => webcrypto.subtle.generateKey(P256, true, ['sign', 'verify'])

async function privateKeyOf({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  const der = await webcrypto.subtle.exportKey('pkcs8', privateKey)
  return createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString()
}

/** Positive, and never shorter than it looks: no leading zero. */
function newSerial(): string {
  const bytes = randomBytes(SERIAL_BYTES)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes.toString('hex')
}
