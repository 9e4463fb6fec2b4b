import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'

const ROOT = join(import.meta.dirname, '../..')

/** Folders that serve every client and every API alike. */
const VENDOR_FREE =
  /^src\/(?:main\/(?:recorder|store|operations|guard|recall|ledger|requests|live|transcripts|sinks|team|readers|pipeline|session-page)|renderer|shared)\//

const VENDOR = /claude|codex|anthropic|openai|chatgpt/i

/** Files of these folders that name a vendor outside of texts for people, and why they must. */
export const NAMES_A_VENDOR: Readonly<Record<string, string>> = {
  'src/shared/vendors.ts': 'the table of what people see of a vendor',
  'src/shared/config.ts': 'keys of the configuration file, which people write',
  'src/shared/config-proxy.ts': 'keys of the configuration file, and their defaults',
  'src/shared/recall-syntax.ts': 'an example for people',
  'src/shared/contract/posted-payloads.ts': 'examples for people',
  'src/shared/contract/claude-code.ts': 'operations of one client, by their public names',
  'src/shared/contract/index.ts': 'lists the operations of one client',
  'src/shared/contract/team.ts': 'excludes the operations of one client by their public names',
  'src/shared/contract/health.ts': 'keys of the configuration file in an answer',
  'src/shared/contract/tunnel.ts': 'the clients whose hosts full mode knows, by their public names',
  'src/renderer/features/settings/setting-labels.ts': 'labels of the configuration file’s keys',
  'src/renderer/features/settings/settings-page.tsx': 'places the card of one client',
  'src/renderer/features/settings/claude-code-card.tsx': 'sets up one client',
  'src/renderer/features/settings/claude-code-steps.tsx': 'sets up one client',
  'src/renderer/lib/client-setup.ts': 'sets up one client',
}

/** A place that names a vendor: `path:line`, and the word. */
export interface VendorName {
  readonly path: string
  readonly line: number
  readonly word: string
}

/** Returns the vendor names in the code of a file. Comments and texts for people, which have spaces, may name any. */
export function vendorNamesIn(path: string, text: string): readonly VendorName[] {
  if (!VENDOR_FREE.test(path)) return []
  const found: VendorName[] = []
  visit(parseSync(path, text).program, ({ word, start }) => {
    if (VENDOR.test(word)) found.push({ path, word, line: text.slice(0, start).split('\n').length })
  })
  return found
}

/** Returns a line for each name that the list does not allow, and for each entry of the list that no name needs. */
export function misplacedVendors(paths: readonly string[]): readonly string[] {
  const names = paths.flatMap((path) => vendorNamesIn(path, readFileSync(join(ROOT, path), 'utf8')))
  const needed = new Set(names.map(({ path }) => path))
  return [
    ...names
      .filter(({ path }) => !Object.hasOwn(NAMES_A_VENDOR, path))
      .map(({ path, line, word }) => `${path}:${line} names a vendor (${word}): move it to decode/ or clients/`),
    ...Object.keys(NAMES_A_VENDOR)
      .filter((path) => !needed.has(path))
      .map((path) => `nobody needs "${path}" in scripts/house/vendors.ts: take it out`),
  ]
}

interface Word {
  readonly word: string
  readonly start: number
}

/** Visits every identifier, every string that is not a sentence, and every regular expression. */
function visit(node: unknown, take: (word: Word) => void): void {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, take)
    return
  }
  if (typeof node !== 'object' || node === null) return
  const { type, start, name, value, regex } = node as { readonly [field: string]: unknown }
  const at = typeof start === 'number' ? start : 0
  if (type === 'Identifier' || type === 'JSXIdentifier') take({ word: String(name), start: at })
  else if (type === 'Literal') take({ word: wordOf(regex === undefined ? value : String(value)), start: at })
  else if (type === 'TemplateElement') take({ word: wordOf((value as { readonly raw?: unknown }).raw), start: at })
  else for (const each of Object.values(node)) visit(each, take)
}

/** A sentence is a text for people. What it quotes is a value of SQL: `client = 'codex'`. */
function wordOf(value: unknown): string {
  if (typeof value !== 'string') return ''
  return /\S\s\S/.test(value) ? (value.match(/'[^'\s]+'/g) ?? []).join(' ') : value
}
