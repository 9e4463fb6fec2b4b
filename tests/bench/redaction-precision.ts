import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { BUILT_IN_RULES } from '../../src/main/redaction/built-in-rules.ts'
import { findSecrets } from '../../src/main/redaction/find-secrets.ts'
import { createScanner } from '../../src/main/redaction/scanner.ts'
import { createTextTime } from '../../src/main/redaction/text-time.ts'

/** A redaction in a file of the corpus, with its line. */
interface Redaction {
  readonly rule: string
  readonly path: string
  readonly line: number
  readonly text: string
  readonly before: string
  readonly after: string
}

const MAX_FILE = 4_000_000
const SAMPLE = 500

/**
 * Runs every text file of the given folders through the built-in rules. Prints counts by rule and throughput, and writes a
 * seeded sample of the redactions as JSON lines, to be judged by people: see docs/design/redaction.md.
 */
function main(): void {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { out: { type: 'string' }, seed: { type: 'string', default: 'aspy' }, 'max-mb': { type: 'string' } },
  })
  const scanner = createScanner(BUILT_IN_RULES)
  const time = createTextTime({ textMs: 2000 })
  const found: Redaction[] = []
  const limit = Number(values['max-mb'] ?? Number.POSITIVE_INFINITY) * 1e6
  let [files, lines, bytes, ms] = [0, 0, 0, 0]
  const seen = new Set<string>()
  for (const path of positionals.flatMap((folder) => filesIn(resolve(folder)))) {
    if (bytes > limit) break
    const raw = readFileSync(path)
    if (raw.length > MAX_FILE || raw.subarray(0, 8000).includes(0)) continue
    const digest = createHash('sha1').update(raw).digest('base64')
    if (seen.has(digest)) continue
    seen.add(digest)
    const text = raw.toString('utf8')
    files += 1
    bytes += raw.length
    lines += text.split('\n').length
    const before = performance.now()
    const spans = findSecrets(scanner, text, { time })
    ms += performance.now() - before
    for (const { rule, start, end } of spans)
      found.push({
        rule,
        path,
        line: text.slice(0, start).split('\n').length,
        text: text.slice(start, Math.min(end, start + 200)),
        before: text.slice(Math.max(0, start - 120), start),
        after: text.slice(end, end + 80),
      })
  }
  const byRule: Record<string, number> = {}
  for (const { rule } of found) byRule[rule] = (byRule[rule] ?? 0) + 1
  const sample = seededSample(found, values.seed)
  if (values.out !== undefined) writeFileSync(values.out, sample.map((one) => `${JSON.stringify(one)}\n`).join(''))
  const megabytes = Math.round(bytes / 1e5) / 10
  console.log(
    JSON.stringify(
      {
        files,
        lines,
        megabytes,
        megabytes_per_second: Math.round((bytes / 1000 / ms) * 10) / 10,
        timeouts: time.count(),
        redactions: found.length,
        per_100_000_lines: Math.round((found.length * 1e7) / lines) / 100,
        by_rule: byRule,
      },
      null,
      2,
    ),
  )
}

function filesIn(folder: string): string[] {
  if (!statSync(folder).isDirectory()) return [folder]
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/[/\\]\.(?:vite|cache)/.test(join(entry.parentPath, entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}

/** Returns up to 500 redactions in an order that depends on the seed and each redaction alone. */
function seededSample(found: readonly Redaction[], seed: string): Redaction[] {
  const keyed = found.map((one) => ({
    one,
    key: createHash('sha256').update(`${seed}\n${one.path}\n${one.line}\n${one.text}`).digest('hex'),
  }))
  return keyed
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .slice(0, SAMPLE)
    .map(({ one }) => one)
}

main()
