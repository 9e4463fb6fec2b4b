import { createHmac, randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** As the Standard Webhooks specification writes secrets: this, then base64. */
const PREFIX = 'whsec_'

/** The headers that tell a delivery's receiver who sent it, when, and that nobody changed it. */
export function signatureHeaders(
  secret: Uint8Array,
  { id, at, body }: { readonly id: string; readonly at: Date; readonly body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

/** The secret in a file; where there is none, one is made (mode 0600). Throws where the file is empty or unreadable. */
export function loadSecret(file: string): Uint8Array {
  const known = readSecret(file)
  if (known !== null) return known
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // Linked into place: who comes second finds a whole secret, and keeps it.
  const aside = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(aside, `${PREFIX}${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  try {
    linkSync(aside, file)
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(aside, { force: true })
  }
  return loadSecret(file)
}

function readSecret(file: string): Uint8Array | null {
  try {
    const text = readFileSync(file, 'utf8').trim()
    if (text === '') throw new Error(`${file} is empty: put a secret into it, or remove it to have one made`)
    return Buffer.from(
      text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text,
      text.startsWith(PREFIX) ? 'base64' : 'utf8',
    )
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw error
  }
}

const isCode = (error: unknown, code: string) => error instanceof Error && 'code' in error && error.code === code
