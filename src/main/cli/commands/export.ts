import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import type { Writable } from 'node:stream'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { connect } from '../client.ts'
import type { Client } from '../client.ts'
import { claudeLines } from '../export/claude-lines.ts'
import { markdown } from '../export/markdown.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { count } from '../table.ts'
import { showProgress } from '../with-app.ts'

export type Exported = OperationOutput<'events.export'>['items'][number]

export interface ExportFlags {
  readonly session?: string
  readonly format?: string
  readonly out?: string
}

const FORMATS = ['jsonl', 'claude', 'markdown'] as const

/** `aspy export`: writes all events or one session to a file or standard output, page by page. */
export async function exportEvents(settings: RunSettings, flags: ExportFlags): Promise<void> {
  const format = FORMATS.find((name) => name === (flags.format ?? 'jsonl'))
  if (format === undefined) throw new AspyError('bad_input', `unknown --format; choose one of ${FORMATS.join(', ')}`)
  if (format !== 'jsonl' && flags.session === undefined)
    throw new AspyError('bad_input', `--format ${format} exports one session; choose it with --session ID`)
  const client = await connect(settings)
  const out = flags.out === undefined ? process.stdout : createWriteStream(flags.out, { mode: 0o600, flags: 'wx' })
  try {
    let done = 0
    for await (const text of texts(client, format, flags.session)) {
      done += 1
      if (!out.write(text)) await once(out, 'drain')
      if (flags.out !== undefined && done % 100 === 0) showProgress(`${count(done)} events`)
    }
    if (flags.out !== undefined) showProgress(null)
    await finish(out)
  } finally {
    await client.close()
  }
}

async function finish(out: Writable): Promise<void> {
  if (out === process.stdout) return
  out.end()
  await once(out, 'finish')
}

async function* texts(
  client: Client,
  format: (typeof FORMATS)[number],
  session: string | undefined,
): AsyncGenerator<string> {
  const all = exported(client, session)
  if (format === 'claude') return yield* claudeLines(() => exported(client, session))
  if (format === 'markdown')
    return yield* markdown(await client.call('sessions.get', { session_id: session ?? '' }), all)
  yield `${JSON.stringify({ aspy_export: 1 })}\n`
  for await (const item of all) yield `${JSON.stringify(item)}\n`
}

async function* exported(client: Client, session: string | undefined): AsyncGenerator<Exported> {
  let cursor: string | undefined
  do {
    const page: OperationOutput<'events.export'> = await client.call('events.export', {
      ...(session === undefined ? {} : { session_id: session }),
      ...(cursor === undefined ? {} : { cursor }),
    })
    yield* page.items
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
}
