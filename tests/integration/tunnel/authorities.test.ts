import { createPublicKey, X509Certificate } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Authorities } from '../../../src/main/tunnel/authority/authorities.ts'
import { inFolder } from '../../../src/main/tunnel/authority/authority-files.ts'
import { createAuthority, createLeaf } from '../../../src/main/tunnel/authority/sign.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'

const DAY = 86_400_000
const HOST = 'api.anthropic.com'
let folder: TempFolder
beforeEach(() => {
  folder = makeTempFolder('aspy-ca-')
})
afterEach(() => folder.remove())

const open = async (hosts: readonly string[] = [HOST], now: () => number = Date.now) => {
  const authorities = new Authorities({ hosts, store: inFolder(folder.path), now })
  await authorities.ensure()
  return authorities
}
/** Verdict of OpenSSL, an independent verifier, on a certificate. */
function verify(ca: string, certificate: string): string {
  writeFileSync(join(folder.path, 'x-ca.pem'), ca)
  writeFileSync(join(folder.path, 'x.pem'), certificate)
  try {
    const args = [
      'verify',
      '-CAfile',
      join(folder.path, 'x-ca.pem'),
      '-purpose',
      'sslserver',
      join(folder.path, 'x.pem'),
    ]
    return execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    return String((error as { stderr: string }).stderr)
  }
}

test('the authority can sign for the named hosts and nothing else', async () => {
  const now = Date.now()
  const authority = await createAuthority({ hosts: [HOST, 'api.example.org'], now, notAfter: now + DAY })
  for (const [host, said] of [
    [HOST, /OK/],
    ['api.example.org', /OK/],
    ['anthropic.com', /permitted subtree violation/],
    [`evil.${HOST}`, /excluded subtree violation/],
    ['github.com', /permitted subtree violation/],
    [`${HOST}.evil.example`, /permitted subtree violation/],
  ] as const) {
    const { certificate } = await createLeaf({ authority, host, now, notAfter: now + DAY })
    expect(verify(authority.certificate, certificate)).toMatch(said)
  }
  const text = execFileSync('openssl', ['x509', '-noout', '-text'], { input: authority.certificate, encoding: 'utf8' })
  expect(text).toMatch(
    /Name Constraints: critical[\s\S]*Excluded:[\s\S]*IP:0\.0\.0\.0\/0\.0\.0\.0\s+IP:0:0:0:0:0:0:0:0\/0/,
  )
  expect(text).toMatch(/CA:TRUE, pathlen:0[\s\S]*Key Usage: critical\s+Certificate Sign\n/)
})

test('a leaf has a P-256 key, a week at most, and never outlives its authority', async () => {
  const now = Date.now()
  const authority = await createAuthority({ hosts: [HOST], now, notAfter: now + 2 * DAY })
  const leaf = new X509Certificate(
    (await createLeaf({ authority, host: HOST, now, notAfter: now + 7 * DAY })).certificate,
  )
  expect(createPublicKey(leaf.publicKey.export({ type: 'spki', format: 'pem' })).asymmetricKeyDetails).toEqual({
    namedCurve: 'prime256v1',
  })
  expect(leaf.validToDate.getTime()).toBeLessThanOrEqual(now + 2 * DAY)
  expect([leaf.ca, leaf.checkHost(HOST), leaf.checkHost('example.com')]).toEqual([false, HOST, undefined])
})

test('an authority is kept in two files of the owner, and found again', async () => {
  const first = await open()
  for (const name of ['ca.pem', 'ca.key']) expect(statSync(join(folder.path, name)).mode & 0o777).toBe(0o600)
  expect((await open()).fingerprints()).toEqual(first.fingerprints())
  expect(readFileSync(join(folder.path, 'ca.pem'), 'utf8')).toBe(first.pem())
})

test.each([
  ['a damaged key', () => writeFileSync(join(folder.path, 'ca.key'), 'nothing')],
  ['a damaged certificate', () => writeFileSync(join(folder.path, 'ca.pem'), '-----BEGIN CERTIFICATE-----\nAAAA\n')],
  [
    'the key of another authority',
    () => writeFileSync(join(folder.path, 'ca.key'), readFileSync(join(import.meta.dirname, '../../../package.json'))),
  ],
])('%s leads to a new authority', async (_name, damage) => {
  const first = await open()
  damage()
  const second = await open()
  expect(second.fingerprints()).toHaveLength(1)
  expect(second.fingerprints()).not.toEqual(first.fingerprints())
})

test('a link in the place of a file is replaced, not followed', async () => {
  const victim = join(folder.path, 'victim')
  writeFileSync(victim, 'mine')
  symlinkSync(victim, join(folder.path, 'ca.key'))
  await open()
  expect(readFileSync(victim, 'utf8')).toBe('mine')
  expect(readFileSync(join(folder.path, 'ca.key'), 'utf8')).toContain('PRIVATE KEY')
})

test('other hosts make a new authority; the older one signs for its clients until it is not needed', async () => {
  const first = await open()
  const [old = ''] = first.fingerprints()
  const second = await open([HOST, 'api.example.org'])
  const [, fresh = ''] = second.fingerprints()
  expect(second.fingerprints()).toEqual([old, fresh])
  // A client that started under the old one; one that started since; one of an installation, of which nothing is known.
  const byOld = await second.contextFor(HOST, new Set([old]))
  expect(byOld).not.toBeNull()
  expect(await second.contextFor('api.example.org', new Set([old]))).toBeNull()
  expect(await second.contextFor('api.example.org', new Set([old, fresh]))).not.toBeNull()
  expect(await second.contextFor(HOST, null)).toBe(byOld)
  expect(await second.contextFor(HOST, new Set([old, fresh]))).not.toBe(byOld)
  expect([old, fresh, 'another'].map((one) => second.retiredAt(one) !== null)).toEqual([true, false, false])
  second.prune(({ fingerprint }) => fingerprint === old)
  expect(second.fingerprints()).toEqual([old, fresh])
  second.prune(() => false)
  expect(second.fingerprints()).toEqual([fresh])
  expect(readFileSync(join(folder.path, 'ca.pem'), 'utf8')).toBe(second.pem())
})

test('an authority is renewed before it expires, and an expired one is forgotten', async () => {
  let now = Date.now()
  const clock = () => now
  const first = await open([HOST], clock)
  const [old = ''] = first.fingerprints()
  now += 340 * DAY
  await first.ensure()
  expect(first.fingerprints()).toEqual([old, expect.stringMatching(/^[0-9a-f]{64}$/)])
  now += 30 * DAY
  await first.ensure()
  expect(first.fingerprints()).not.toContain(old)
  expect(first.fingerprints()).toHaveLength(1)
})
