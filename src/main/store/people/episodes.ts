import { basename } from 'node:path'
import { firstCharacters } from '../../../shared/cut-text.ts'
import type { WritableDb } from '../database/connection.ts'
import { sqliteCodeOf, translated } from '../database/store-error.ts'

/** Episodes that one step writes. */
const AT_ONCE = 10
/** Rows in which one step looks for them. */
const LOOKED_AT = 1000
const REMOVED_AT_ONCE = 200
const PROMPTS_TOLD = 20
const PROMPT_CHARACTERS = 200
const ANSWER_CHARACTERS = 1200
const TAGS_OF_A_KIND = 6

interface Stretch {
  readonly row: number
  readonly session_id: string
  readonly event_uuid: string
  readonly turn_id: number
  readonly timestamp: string
  readonly project: string | null
  readonly git_branch: string | null
  readonly title: string | null
  /** A compaction's summary; null if the session ended. */
  readonly summary: string | null
  readonly known: number | null
}

/**
 * Writes an episode, a summary with tags, for each compaction and each session that ended. If a session was resumed and
 * ended again, its episode is rewritten. Each step takes a few milliseconds and yields how many were written. Sessions
 * that end behind the position of the steps are left to the next call.
 */
export function* writeEpisodes(db: WritableDb): Generator<number, number, void> {
  const compacted = db.prepare<[number, number], Stretch>(
    `SELECT c.id AS row, c.session_id, c.event_uuid, c.turn_id, c.timestamp, s.project, s.git_branch, s.title, c.content AS summary, e.id AS known
     FROM compactions c JOIN sessions s ON s.id = c.session_id
     LEFT JOIN episodes e ON e.session_id = c.session_id AND e.closed_by = 'compaction' AND e.event_uuid = c.event_uuid
     WHERE c.id > ? AND c.id <= ? AND e.id IS NULL AND c.content <> '' ORDER BY c.id LIMIT ${AT_ONCE}`,
  )
  // CROSS keeps the order: look for the episode first, and for the last event only if there is none.
  const ended = db.prepare<[number, number], Stretch>(
    `SELECT s.rowid AS row, s.id AS session_id, l.uuid AS event_uuid, l.turn_id, l.ts_wall AS timestamp, s.project, s.git_branch, s.title,
       NULL AS summary, e.id AS known
     FROM sessions s
     LEFT JOIN episodes e ON e.session_id = s.id AND e.closed_by = 'end'
     CROSS JOIN events l ON l.id = (SELECT x.id FROM events x WHERE x.session_id = s.id ORDER BY x.ts_wall DESC, x.id DESC LIMIT 1)
     WHERE s.rowid > ? AND s.rowid <= ? AND s.ended_at IS NOT NULL AND s.prompts > 0
       AND (e.id IS NULL OR e.timestamp < s.last_event_at) ORDER BY s.rowid LIMIT ${AT_ONCE}`,
  )
  const write = createWriter(db)
  let written = 0
  for (const [due, table] of [
    [compacted, 'compactions'],
    [ended, 'sessions'],
  ] as const) {
    const lastOfNext = db
      .prepare<[number], number | null>(
        `SELECT max(row) FROM (SELECT rowid AS row FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${LOOKED_AT})`,
      )
      .pluck()
    const step = db.transaction((after: number) => {
      const upTo = lastOfNext.get(after) ?? null
      if (upTo === null) return null
      const stretches = due.all(after, upTo)
      for (const stretch of stretches) write(stretch)
      written += stretches.length
      return stretches.length < AT_ONCE ? upTo : (stretches.at(-1)?.row ?? upTo)
    })
    const run = (after: number) => translated(() => step.immediate(after))
    for (let after = run(0); after !== null; after = run(after)) yield written
  }
  return written
}

/** Rewrites all episodes, and the full-text indexes of episodes and memories. */
export function* rewriteEpisodes(db: WritableDb): Generator<number, number, void> {
  refillIndex(db, 'memories_fts')
  yield 0
  const some = db.prepare(`DELETE FROM episodes WHERE id IN (SELECT id FROM episodes LIMIT ${REMOVED_AT_ONCE})`)
  for (let isMore = true; isMore; yield 0) isMore = removeIndexed(db, () => some.run().changes > 0)
  // Done now, when it is cheap: the time grows with the texts.
  refillIndex(db, 'episodes_fts')
  yield 0
  return yield* writeEpisodes(db)
}

function refillIndex(db: WritableDb, index: 'memories_fts' | 'episodes_fts'): void {
  translated(() => db.exec(`INSERT INTO ${index} (${index}) VALUES ('rebuild')`))
}

/** Removes episodes. A damaged index may refuse that, and is refilled first. */
function removeIndexed<Result>(db: WritableDb, remove: () => Result): Result {
  try {
    return translated(remove)
  } catch (error) {
    if (sqliteCodeOf(error) !== 'SQLITE_CORRUPT_VTAB') throw error
    refillIndex(db, 'episodes_fts')
    return translated(remove)
  }
}

function createWriter(db: WritableDb): (stretch: Stretch) => void {
  const remove = db.prepare<[number]>('DELETE FROM episodes WHERE id = ?')
  const insert = db.prepare(
    `INSERT INTO episodes (event_uuid, session_id, turn_id, closed_by, timestamp, project, content, tags)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const prompts = db
    .prepare<[string, number], string>(
      `SELECT substr(content, 1, ${PROMPT_CHARACTERS + 1}) FROM user_prompts WHERE session_id = ?
       ORDER BY prompt_number DESC LIMIT ?`,
    )
    .pluck()
  const answer = db
    .prepare<[string], string>(
      `SELECT substr(content, 1, ${ANSWER_CHARACTERS}) FROM assistant_responses WHERE id = (
         SELECT id FROM recall_docs WHERE session_id = ? AND match_type = 'assistant_response' AND agent_id IS NULL
         ORDER BY turn_id DESC, id DESC LIMIT 1)`,
    )
    .pluck()
  const tagsOf = createTags(db)

  /** Returns the first request and the last answer; no model writes a summary. */
  const summaryOfEnd = ({ session_id, title }: Stretch): string => {
    const promptTexts = prompts
      .all(session_id, PROMPTS_TOLD)
      .reverse()
      .map((text) => `- ${firstLine(text)}`)
    const last = answer.get(session_id)
    return [
      ...(title === null ? [] : [title]),
      'Asked:',
      ...promptTexts,
      ...(last === undefined ? [] : ['Answered last:', last]),
    ].join('\n')
  }

  return (stretch) => {
    const { session_id, event_uuid, turn_id, timestamp, project, summary, known } = stretch
    if (known !== null) remove.run(known)
    const closedBy = summary === null ? 'end' : 'compaction'
    const content = summary ?? summaryOfEnd(stretch)
    insert.run(event_uuid, session_id, turn_id, closedBy, timestamp, project, content, JSON.stringify(tagsOf(stretch)))
  }
}

/** Returns tags by which an episode can be found: branch, models, tools, kinds of agents. */
function createTags(db: WritableDb): (stretch: Stretch) => readonly string[] {
  const most = (column: string, from: string, where = 'session_id = ?') =>
    db
      .prepare<[string], string>(
        `SELECT ${column} FROM ${from} WHERE ${where} GROUP BY ${column} ORDER BY count(*) DESC, ${column} LIMIT ${TAGS_OF_A_KIND}`,
      )
      .pluck()
  const models = most('model', 'api_usage')
  const tools = most('tool_name', 'events e CROSS JOIN tool_call_rows c ON c.event_id = e.id', 'e.session_id = ?')
  const agents = most('agent_type', 'agents', 'session_id = ? AND agent_type IS NOT NULL')
  return ({ session_id, project, git_branch }) => [
    ...(project === null ? [] : [basename(project)]),
    ...(git_branch === null ? [] : [git_branch]),
    ...models.all(session_id),
    ...tools.all(session_id),
    ...agents.all(session_id),
  ]
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length > PROMPT_CHARACTERS ? `${firstCharacters(line, PROMPT_CHARACTERS)}…` : line
}
