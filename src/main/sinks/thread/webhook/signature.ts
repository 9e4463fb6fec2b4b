import { createHmac, randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from '../../../../shared/error-text.ts'

/** Prefix of a base64 secret in the Standard Webhooks specification. */
const PREFIX = 'whsec_'

/** Creates the headers that let a receiver verify the sender, the time and the integrity of a delivery. */
export function signatureHeaders(
  secret: Uint8Array,
  { id, at, body }: { readonly id: string; readonly at: Date; readonly body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

/** Reads the secret from a file, creating one (mode 0600) if it does not exist. Throws if the file is empty or unreadable. */
export function loadSecret(file: string): Uint8Array {
  const known = readSecret(file)
  if (known !== null) return known
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // Linking is atomic: a second process finds a complete secret and keeps it.
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(temporary, `${PREFIX}${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  try {
    linkSync(temporary, file)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  } finally {
    rmSync(temporary, { force: true })
  }
  return loadSecret(file)
}

function readSecret(file: string): Uint8Array | null {
  try {
    const text = readFileSync(file, 'utf8').trim()
    if (text === '') throw new Error(`${file} is empty: write a secret to it, or delete it to create a new one`)
    return Buffer.from(
      text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text,
      text.startsWith(PREFIX) ? 'base64' : 'utf8',
    )
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}
