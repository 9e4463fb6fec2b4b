import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import type { TestApp } from '../app/start-app.ts'
import { withBlockTexts, type LogAccount, type LoggedEvent } from './log-account.ts'
import { unpackFolder } from './tar-zst.ts'

/** Files that an earlier version wrote, from tests/fixtures/earlier-files. */

const FIXTURE = join(import.meta.dirname, '../../fixtures/earlier-files')

const PLACES = { data: 'data', claude: 'claude', exported: 'export.jsonl', claudeExport: 'claude-export' } as const

/** Replaces the root folder of the data in `setup.json`. */
export const NEUTRAL_ROOT = '/home/dev/fixture'

/** The independent summary that was taken with plain SQL when the data was written. */
interface Expected {
  /** Content of the export. */
  readonly before: LogAccount
  readonly claude_export: { readonly session: string; readonly kinds: { readonly [kind: string]: number } }
  /** A digest of each file's bytes. */
  readonly session_logs: { readonly [file: string]: string }
  /** By `section.key`. */
  readonly config: { readonly [key: string]: unknown }
  /** Contents of the key files. */
  readonly keys: { readonly [file: string]: string }
}

export const expectedOfEarlierFiles = (): Expected =>
  JSON.parse(readFileSync(join(FIXTURE, 'expected.json'), 'utf8')) as Expected

/** Unpacks the files into a folder and returns their paths. */
export function unpackEarlierFiles(folder: string): { readonly [name in keyof typeof PLACES]: string } {
  unpackFolder(join(FIXTURE, 'files.tar.zst'), folder)
  return Object.fromEntries(Object.entries(PLACES).map(([name, path]) => [name, join(folder, path)])) as ReturnType<
    typeof unpackEarlierFiles
  >
}

/** Returns the whole log of a running app, from its export. */
export async function logOfApp(app: TestApp): Promise<readonly LoggedEvent[]> {
  type Page = OperationOutput<'events.export'>
  const items: Page['items'][number][] = []
  const texts = new Map<string, string>()
  let cursor: string | null = null
  do {
    const page: Page = await app.call<Page>('events.export', { limit: 1000, ...(cursor === null ? {} : { cursor }) })
    for (const item of page.items) for (const [hash, text] of Object.entries(item.contents)) texts.set(hash, text)
    items.push(...page.items)
    cursor = page.next
  } while (cursor !== null)
  return items.map((item) => withTexts(item, texts))
}

/** Returns the log in a file of `aspy export`. */
export function logOfExport(file: string): readonly LoggedEvent[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(1)
  const items = lines.map((line) => JSON.parse(line) as OperationOutput<'events.export'>['items'][number])
  const texts = new Map(items.flatMap(({ contents }) => Object.entries(contents)))
  return items.map((item) => withTexts(item, texts))
}

function withTexts(
  item: OperationOutput<'events.export'>['items'][number],
  texts: ReadonlyMap<string, string>,
): LoggedEvent {
  const payload = withBlockTexts(item.event.payload, (hash) => texts.get(hash) ?? null)
  return { ...item, event: { ...item.event, payload } }
}
