import { extname } from 'node:path'
import { AspyError } from '../../../shared/contract/errors.ts'
import { localZone } from '../../../shared/wall-time.ts'
import { packageVersion } from '../../base/app-files.ts'
import { connect, type Client } from '../client.ts'
import { itemsOf } from '../items-of.ts'
import { claudeLines } from '../export/claude-lines.ts'
import { ExportFile } from '../export/export-file.ts'
import { markdown } from '../export/markdown.ts'
import type { Exported } from '../../session-page/exported.ts'
import { partsOf, withoutParts } from '../../session-page/leave-out.ts'
import { describeContents } from '../../session-page/page-contents.ts'
import { sessionPage } from '../../session-page/session-page.ts'
import { withoutPaths } from '../../session-page/without-paths.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { printAll } from '../print-all.ts'
import { counted } from '../table.ts'
import { untilStopped } from '../until-stopped.ts'
import { showProgress } from '../with-app.ts'
import { requireSession } from '../reading/reading-command.ts'
import { chooseOne } from '../parser-errors.ts'
import { sayAside } from '../wrap.ts'

export interface ExportFlags {
  /** Also exports what people made. */
  readonly all?: boolean
  readonly session?: string
  readonly format?: string
  readonly out?: string
  /** Parts that a page leaves out, separated by commas. */
  readonly without?: string
}

const FORMATS = ['jsonl', 'claude', 'markdown', 'html'] as const
/** Formats by the ending of the file, where none is named. */
const ENDINGS: Readonly<Record<string, (typeof FORMATS)[number]>> = {
  '.html': 'html',
  '.htm': 'html',
  '.md': 'markdown',
}

/** `aspy export`: writes all events or one session to a file or standard output, page by page. */
export async function exportEvents(settings: RunSettings, flags: ExportFlags & { readonly parquet?: string }) {
  if (flags.parquet !== undefined) {
    const { exportParquet } = await import('./export-parquet.ts')
    return exportParquet(settings, flags.parquet, flags)
  }
  const asked = flags.format === 'md' ? 'markdown' : flags.format
  const format = FORMATS.find((name) => name === (asked ?? ENDINGS[extname(flags.out ?? '').toLowerCase()] ?? 'jsonl'))
  if (format === undefined)
    throw new AspyError('bad_input', `--format cannot be "${flags.format}": ${chooseOne(flags.format ?? '', FORMATS)}`)
  if (flags.all === true && (format !== 'jsonl' || flags.session !== undefined))
    throw new AspyError('bad_input', '--all exports everything as jsonl; drop --session and --format, or drop --all')
  if (format !== 'jsonl' && flags.session === undefined)
    throw new AspyError('bad_input', `--format ${format} exports one session; choose it with --session ID`)
  const without = partsOf(flags.without)
  if (format !== 'html' && format !== 'markdown' && without.size > 0)
    throw new AspyError('bad_input', '--without works with --format html or markdown; add one, or drop --without')
  const isWhole = await untilStopped(async (stop) => {
    const client = await connect(settings)
    try {
      await requireSession(client, flags.session)
      const all = flags.all === true ? everything(client) : texts(client, format, flags.session, without)
      if (flags.out === undefined) await printAll(all, stop)
      else await save(all, flags.out, stop)
    } finally {
      await client.close()
    }
  })
  if (isWhole && flags.out !== undefined && process.stderr.isTTY) sayAside(`Wrote ${flags.out}.`)
  if (!isWhole)
    sayAside(`Stopped. ${flags.out === undefined ? 'The' : 'No file was written, because the'} export is incomplete.`)
}

async function save(all: AsyncIterable<string>, path: string, stop: AbortSignal): Promise<void> {
  const file = new ExportFile(path)
  let isWhole = false
  try {
    let done = 0
    for await (const text of all) {
      stop.throwIfAborted()
      file.write(text)
      done += 1
      if (done % 100 === 0) showProgress(counted(done, 'event'))
    }
    isWhole = true
  } finally {
    showProgress(null)
    if (isWhole) file.close()
    else file.discard()
  }
}

async function* texts(
  client: Client,
  format: (typeof FORMATS)[number],
  session: string | undefined,
  without: ReturnType<typeof partsOf>,
): AsyncGenerator<string> {
  const all = exported(client, session)
  if (format === 'claude') return yield* claudeLines(() => exported(client, session))
  if (format === 'markdown') {
    const about = await client.call('sessions.get', { session_id: session ?? '' })
    return yield* markdown(without.has('paths') ? withoutPaths(about, about.project) : about, kept(all, without))
  }
  if (format === 'html') return yield* page(client, session ?? '', without)
  yield HEADER
  for await (const item of all) yield `${JSON.stringify(item)}\n`
}

/** Yields events without the chosen parts. */
async function* kept(all: AsyncIterable<Exported>, without: ReturnType<typeof partsOf>): AsyncGenerator<Exported> {
  for await (const item of all) {
    const left = withoutParts(item, without)
    if (left !== null) yield left
  }
}

const PAGE_BOUNDS = { data: 32_000_000, transcript: 16_000_000 }

/** Describes a page on standard error before it yields any of it. */
async function* page(client: Client, session: string, without: ReturnType<typeof partsOf>): AsyncGenerator<string> {
  const { summary, html } = await sessionPage((name, input) => client.call(name, input), session, {
    without,
    bounds: PAGE_BOUNDS,
    zone: localZone(),
    version: packageVersion(),
  })
  sayAside(describeContents(summary))
  yield* html
}

const HEADER = `${JSON.stringify({ aspy_export: 1 })}\n`

/** Yields deletions, then events, then what people made of those. */
async function* everything(client: Client): AsyncGenerator<string> {
  const { items } = await client.call('people.export', {})
  const made = Object.groupBy(items, (item) => (item.made === 'deletion' ? 'before' : 'after'))
  yield HEADER
  for (const item of made.before ?? []) yield `${JSON.stringify(item)}\n`
  for await (const item of exported(client, undefined)) yield `${JSON.stringify(item)}\n`
  for (const item of made.after ?? []) yield `${JSON.stringify(item)}\n`
}

/** Yields the events of a session, or of all, page by page. */
export const exported = (client: Client, session: string | undefined): AsyncGenerator<Exported> =>
  itemsOf((cursor) => client.call('events.export', { session_id: session, cursor }))
