import { listed } from './listed.ts'
import { base64 } from './char-class.ts'
import { keyFormat, type Rule } from './rule.ts'

/** What files of secrets have in them. */
const LINES = ['PASSWORD=', 'SECRET=', 'API_KEY=', 'TOKEN=', '"password":', '"auths":{']
/** Prefixes long enough to be recognised in base64 at any offset within its groups of three bytes. */
const LONG = ['sk-ant-', 'github_pat_', 'glpat-', 'sk_live_', 'PRIVATE KEY-----', '<private>', ...LINES]
const AT_START = listed('ghp_|AKIA|xoxb-|xoxp-|sk-proj-|hvs.|-----BEGIN PRIV|-----BEGIN RSA PR|-----BEGIN OPENSSH')

/** What a text in base64 has near it, and what secrets have near them, in any case: they are cheaper to find than base64. */
const NEAR = listed('base64|Base64|BASE64|b64|B64')
const INSIDE = listed(
  'pass|pwd=|pwd:|psk=|secret|token|cred|auth|login|user|_key|-key| key|pikey|piKey|Key"|bearer|p://|s://|l://|b://|v://|' +
    'ghp_|AKIA|xoxb-|xoxp-',
)
const inCases = (word: string) => [word, (word[0] ?? '').toUpperCase() + word.slice(1), word.toUpperCase()]

/** Matches nothing, but notes where base64 may be that is worth decoding; `;base64,` before an image says nothing. */
const signRule: Rule = {
  name: 'base64-secret',
  anchors: [...NEAR, ...inBase64(INSIDE.flatMap(inCases))],
  isKeyFormat: false,
  match({ text, at, after, boundary, noteBase64 }) {
    // `b64` within an id.
    if (text[after] !== ',' && (!text.startsWith('b64', at) || boundary(at))) noteBase64(at)
    return 0
  },
}

/** Returns the base64 characters that depend on `text` alone, regardless of the `skipped` (0 to 2) bytes before it. */
function stableBase64(text: string, skipped: number): string {
  const encoded = Buffer.concat([Buffer.alloc(skipped), Buffer.from(text)]).toString('base64')
  const first = Math.ceil((skipped * 8) / 6)
  const end = Math.floor(((skipped + text.length) * 8) / 6)
  return encoded.slice(first, end)
}

/** Matches base64-encoded secrets, from their recognised prefix to the end of the encoded run. */
export const ENCODED_FORMATS: readonly Rule[] = [
  keyFormat('base64-secret', [...new Set(AT_START.map((text) => stableBase64(text, 0)))].join(' '), base64, 20),
  anywhere(inBase64(LONG)),
  signRule,
]

/** Returns texts as base64 writes them at any offset. */
function inBase64(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => [0, 1, 2].map((skipped) => stableBase64(text, skipped))))]
}

function anywhere(anchors: readonly string[]): Rule {
  const inner = keyFormat('base64-secret', anchors.join(' '), base64, 12)
  // In the middle of a longer run there is no boundary before the anchor.
  return { ...inner, isBound: false, match: (place) => inner.match({ ...place, boundary: () => true }) }
}
