import { AspyError } from '../../../shared/contract/errors.ts'
import { connect, type Client } from '../client.ts'
import { itemsOf } from '../items-of.ts'
import { eventRow, usageRow } from '../export/parquet/columns.ts'
import { ExportFolder } from '../export/parquet/export-folder.ts'
import type { Session } from '../../../shared/contract/sessions.ts'
import { SessionFiles, TABLES, type WrittenSession } from '../export/parquet/session-files.ts'
import { textRow } from '../export/parquet/text-row.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { counted } from '../table.ts'
import { untilStopped } from '../until-stopped.ts'
import { showProgress } from '../with-app.ts'
import { exported, type ExportFlags } from './export.ts'
import { sayAside } from '../wrap.ts'

/** `aspy export --parquet DIR`: writes all sessions, or one, as Parquet files by month and session. */
export async function exportParquet(settings: RunSettings, path: string, flags: ExportFlags): Promise<void> {
  const others = [flags.all, flags.format, flags.out, flags.without]
  if (others.some((flag) => flag !== undefined))
    throw new AspyError('bad_input', '--parquet cannot be combined with --all, --format, --out or --without')
  const isWhole = await untilStopped(async (stop) => {
    const client = await connect(settings)
    try {
      await new ParquetExport(client, stop).run(path, flags.session)
    } finally {
      showProgress(null)
      await client.close()
    }
  })
  if (!isWhole) sayAside(`Stopped. ${path} was not changed.`)
}

/** One run of the export. */
class ParquetExport {
  readonly #client: Client
  readonly #stop: AbortSignal
  readonly #written = new Map<string, WrittenSession>()

  constructor(client: Client, stop: AbortSignal) {
    this.#client = client
    this.#stop = stop
  }

  async run(path: string, sessionId: string | undefined): Promise<void> {
    const only = sessionId === undefined ? null : await this.#client.call('sessions.get', { session_id: sessionId })
    const folder = new ExportFolder(path)
    try {
      if (only !== null) await this.#write(folder, only)
      else for await (const session of this.#sessions()) await this.#write(folder, session)
      await this.#removeDeleted(folder)
      this.#stop.throwIfAborted()
      const rows = this.#rows()
      folder.publish({ exported_at: new Date().toISOString(), sessions: this.#written.size, rows })
      process.stdout.write(
        `Exported ${counted(this.#written.size, 'session')} to ${path}: ${counted(rows.events, 'event')}, ` +
          `${counted(rows.texts, 'text')}, ${counted(rows.usage, 'usage row')}.\n`,
      )
    } finally {
      folder.discard()
    }
  }

  #sessions(): AsyncGenerator<Session> {
    return itemsOf((cursor) => this.#client.call('sessions.list', { sort: 'started', limit: 100, cursor }))
  }

  async #write(folder: ExportFolder, session: Session): Promise<void> {
    if (this.#written.has(session.id)) return
    const files = new SessionFiles(folder.partial, session.id)
    for await (const item of exported(this.#client, session.id)) {
      this.#stop.throwIfAborted()
      files.add('events', eventRow(item))
      const text = textRow(item)
      if (text !== null) files.add('texts', text)
    }
    const usage = (cursor?: string) => this.#client.call('usage.export', { session_id: session.id, cursor })
    for await (const call of itemsOf(usage)) {
      this.#stop.throwIfAborted()
      files.add('usage', usageRow(call, session))
    }
    this.#written.set(session.id, files.finish())
    showProgress(counted(this.#written.size, 'session'))
  }

  /** Removes sessions that were deleted, or are to be, while the export ran. */
  async #removeDeleted(folder: ExportFolder): Promise<void> {
    const gone = new Map(this.#written)
    for await (const { id } of this.#sessions()) gone.delete(id)
    for (const [id, { folders }] of gone) {
      folder.remove(folders)
      this.#written.delete(id)
    }
  }

  #rows(): WrittenSession['rows'] {
    const sum = { events: 0, texts: 0, usage: 0 }
    for (const { rows } of this.#written.values()) for (const table of TABLES) sum[table] += rows[table]
    return sum
  }
}
