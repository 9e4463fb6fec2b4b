import type { AnyDraft } from '../../decode/draft.ts'
import type { AspyEvent } from '../../../shared/event.ts'
import type { WritableDb } from '../database/connection.ts'
import { translated } from '../database/store-error.ts'
import type { Transactions } from '../database/transactions.ts'
import type { Tombstones } from '../delete/tombstones.ts'
import type { Keys } from '../identity/keys.ts'
import { RECORDED_LIVE } from '../log/log.ts'
import type { Pricing } from '../pricing/pricing.ts'
import { quarterOf } from '../projections/rollups.ts'
import { totalTokens, usageFacts } from '../projections/usage-facts.ts'
import { isPreviewed, type PreviewChange, type PreviewDraft, type PreviewedFile } from './previewed-file.ts'

/** Rows of ended previews that one transaction removes. */
const ENDED_AT_ONCE = 1000

interface PreviewsParts {
  readonly db: WritableDb
  readonly keys: Pick<Keys, 'findByKey'>
  readonly pricing: Pricing
  readonly tombstones: Pick<Tombstones, 'has'>
  readonly transactions: Pick<Transactions, 'run'>
}

/**
 * Figures of transcripts that are not imported yet. Each row has the key of the event that it becomes, and is removed
 * in that event's transaction, whichever source reports it: no commit holds both.
 */
export class Previews {
  readonly #parts: PreviewsParts
  readonly #statements: ReturnType<typeof preparePreviews>
  readonly #isLive: (session: string) => boolean
  #isEmpty: boolean

  constructor(parts: PreviewsParts) {
    const { db } = parts
    this.#parts = parts
    this.#statements = preparePreviews(db)
    const live = db.prepare<[string, string, string], number>(RECORDED_LIVE).pluck()
    this.#isLive = (session) => live.get(session, session, session) !== undefined
    this.#isEmpty = this.#look()
  }

  /**
   * Stores a change in a separate transaction. Facts that are in the log are left out. Returns false if rows of files
   * whose preview ends are left: then the same change must be made again.
   */
  change({ files = [], end = [] }: PreviewChange): boolean {
    const isDone = translated(() =>
      this.#parts.transactions.run(() => {
        for (const file of files) this.#add(file)
        let left = ENDED_AT_ONCE
        return end.every((path) => (left -= this.#end(path, left)) > 0)
      }),
    )
    this.#isEmpty = this.#look()
    return isDone
  }

  /**
   * Removes the rows of the event that a draft becomes, or is a sighting of. Runs within the transaction that writes
   * the draft.
   */
  taken(draft: AnyDraft): void {
    if (this.#isEmpty || !isPreviewed(draft)) return
    for (const key of draft.keys) this.#statements.removeKey.run(key)
    // Other sources know a prompt by its text. They report all prompts of the session, so none is shown twice.
    if (draft.kind === 'user_prompt' && draft.source !== 'transcript')
      this.#statements.removePrompts.run(draft.session_id)
  }

  /**
   * Ends the preview of a file that was read whole. Runs within the transaction of its last events. Almost nothing is
   * left of it by then; any larger rest is removed when the import ends all previews.
   */
  ended(path: string): void {
    if (this.#isEmpty) return
    this.#end(path, ENDED_AT_ONCE)
    this.#isEmpty = this.#look()
  }

  /** Removes the facts that the log has now, after events were restored. Runs within their transaction. */
  dropKnown(): void {
    if (this.#isEmpty) return
    for (const { id, key } of this.#statements.keys.all())
      if (this.#parts.keys.findByKey(key) !== undefined) this.#statements.removeItem.run(id)
  }

  /** After a rollback. */
  rolledBack(): void {
    this.#isEmpty = false
  }

  #look(): boolean {
    return this.#statements.any.get() === undefined
  }

  #add(file: PreviewedFile): void {
    const { path, size, mtime_ms, isWhole, drafts, sessions } = file
    const { keepFile, keepSession, noteLast } = this.#statements
    const id = keepFile.get(path, size, mtime_ms, isWhole ? 1 : 0)
    if (id === undefined) return
    const isLive = new Map<string, boolean>()
    for (const draft of drafts) this.#keep(draft, id, isLive)
    for (const session of sessions) {
      if (this.#parts.tombstones.has(session.session_id)) continue
      keepSession.run({ ...session, file_id: id })
      noteLast.run(session.last_event_at, id)
    }
  }

  #keep(draft: PreviewDraft, file: number, live: Map<string, boolean>): void {
    const { keys, tombstones } = this.#parts
    const session = draft.copied_from ?? draft.session_id
    const [key] = draft.keys
    if (key === undefined || tombstones.has(session)) return
    if (draft.keys.some((each) => keys.findByKey(each) !== undefined)) return
    if (draft.kind === 'user_prompt') {
      const isLive = live.get(session) ?? this.#isLive(session)
      live.set(session, isLive)
      // The traffic reported it under another key.
      if (isLive) return
    }
    const row = {
      key,
      file_id: file,
      kind: draft.kind,
      session_id: session,
      agent_id: draft.kind === 'agent_started' ? draft.payload.agent_id : draft.agent_id,
      timestamp: draft.ts_wall,
      quarter: quarterOf(draft.ts_wall),
      project: draft.project ?? '',
    }
    const { keepOther, keepUsage } = this.#statements
    if (draft.kind !== 'api_usage') return void keepOther.run({ ...row, detail: detailOf(draft) })
    const facts = usageFacts(draft as unknown as AspyEvent<'api_usage'>, [], this.#parts.pricing)
    if (facts === null) return
    const { usage, model, cost_usd, price_basis, basis, request_kind } = facts
    const { input_tokens, output_tokens, thinking_tokens, web_search_requests, speed, inference_geo, service_tier } =
      usage
    keepUsage.run({
      ...row,
      model,
      input_tokens,
      output_tokens,
      thinking_tokens,
      cache_read_tokens: usage.cache_read_input_tokens,
      cache_creation_tokens: usage.cache_creation_input_tokens,
      cache_creation_1h_tokens: usage.cache_creation_1h_input_tokens,
      web_search_requests,
      speed,
      inference_geo,
      service_tier,
      cost_usd,
      price_basis,
      basis,
      request_kind,
      tokens: totalTokens(usage),
    })
  }

  /** Ends a file's preview, or removes up to that many of its rows. Returns how many it removed. */
  #end(path: string, most: number): number {
    const { fileId, endItems, endSessions, endFile } = this.#statements
    const id = fileId.get(path)
    if (id === undefined) return 0
    const removed = endItems.run(id, most).changes
    if (removed === most) return removed
    endSessions.run(id)
    endFile.run(id)
    return removed
  }
}

function detailOf(draft: Exclude<PreviewDraft, { readonly kind: 'api_usage' }>): string | null {
  if (draft.kind === 'user_prompt') return null
  if (draft.kind === 'compaction') {
    const { tokens_before, tokens_after } = draft.payload
    return JSON.stringify({ tokens_before, tokens_after })
  }
  const { agent_type, parent_agent_id, call_id } = draft.payload
  return JSON.stringify({ agent_type, parent_agent_id, call_id })
}

const OTHER = ['key', 'file_id', 'kind', 'session_id', 'agent_id', 'timestamp', 'quarter', 'project'] as const
const USAGE = [
  'model',
  'input_tokens',
  'output_tokens',
  'thinking_tokens',
  'cache_read_tokens',
  'cache_creation_tokens',
  'cache_creation_1h_tokens',
  'web_search_requests',
  'speed',
  'inference_geo',
  'service_tier',
  'cost_usd',
  'price_basis',
  'basis',
  'request_kind',
] as const
const SESSION = [
  'session_id',
  'file_id',
  'project',
  'git_branch',
  'title',
  'title_rank',
  'title_at',
  'started_at',
  'last_event_at',
  'client',
  'client_version',
] as const

const named = (columns: readonly string[]) => columns.map((column) => `@${column}`).join(', ')
const taken = (columns: readonly string[]) => columns.map((column) => `${column} = excluded.${column}`).join(', ')

/** Prepares the statements that change previews. */
function preparePreviews(db: WritableDb) {
  const one = (sql: string) => db.prepare<[number]>(sql)
  return {
    any: db.prepare<[], number>('SELECT 1 FROM preview_files LIMIT 1').pluck(),
    fileId: db.prepare<[string], number>('SELECT id FROM preview_files WHERE path = ?').pluck(),
    keepFile: db
      .prepare<[string, number, number, number], number>(
        `INSERT INTO preview_files (path, size, mtime_ms, whole) VALUES (?, ?, ?, ?)
         ON CONFLICT (path) DO UPDATE SET size = excluded.size, mtime_ms = excluded.mtime_ms, whole = excluded.whole
         RETURNING id`,
      )
      .pluck(),
    noteLast: db.prepare<[string, number]>(
      "UPDATE preview_files SET last_event_at = max(coalesce(last_event_at, ''), ?) WHERE id = ?",
    ),
    keepSession: db.prepare(
      `INSERT INTO preview_sessions (${SESSION.join(', ')}) VALUES (${named(SESSION)})
       ON CONFLICT (session_id, file_id) DO UPDATE SET ${taken(SESSION.slice(2))}`,
    ),
    // A message may be in several files, and its largest figure counts.
    keepUsage: db.prepare(
      `INSERT INTO preview_items (${[...OTHER, ...USAGE].join(', ')}) VALUES (${named([...OTHER, ...USAGE])})
       ON CONFLICT (key) DO UPDATE SET ${taken(USAGE)}
       WHERE input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens < @tokens`,
    ),
    keepOther: db.prepare(
      `INSERT INTO preview_items (${OTHER.join(', ')}, model, detail) VALUES (${named(OTHER)}, '', @detail)
       ON CONFLICT (key) DO NOTHING`,
    ),
    keys: db.prepare<[], { readonly id: number; readonly key: string }>('SELECT id, key FROM preview_items'),
    removeKey: db.prepare<[string]>('DELETE FROM preview_items WHERE key = ?'),
    removeItem: one('DELETE FROM preview_items WHERE id = ?'),
    removePrompts: db.prepare<[string]>("DELETE FROM preview_items WHERE session_id = ? AND kind = 'user_prompt'"),
    endItems: db.prepare<[number, number]>(
      'DELETE FROM preview_items WHERE id IN (SELECT id FROM preview_items WHERE file_id = ? LIMIT ?)',
    ),
    endSessions: one('DELETE FROM preview_sessions WHERE file_id = ?'),
    endFile: one('DELETE FROM preview_files WHERE id = ?'),
  }
}
