import { createHash } from 'node:crypto'
import { firstCharacters } from '../../../../../shared/cut-text.ts'
import type { Json } from '../../../../../shared/event.ts'
import { isoTime, type DraftBase } from '../../../draft-base.ts'
import type { AnyDraft } from '../../../draft.ts'
import { plausibleTime } from '../../../line-time.ts'
import { CODEX, codexId } from '../identity.ts'
import { timeOfUuid } from './rollout-line.ts'
import type { RolloutThread } from './rollout-thread.ts'

/** Length of a line that is kept if it is not valid JSON, or of no known type. */
const MAX_RAW_CHARACTERS = 64 * 1024

/** The owner of a line's fact: the thread itself, its parent, or an original that a fork copied. */
export type LineOwner = 'own' | 'parent' | 'copy'

/** A line that is not understood: `raw` holds a short one. */
export interface UnknownLine {
  readonly what: string
  readonly raw: Json
  readonly text: string
  readonly key: string
}

/** Creates the fields that all drafts of a file share: session, agent, time, and in the first one the client. */
export class RolloutDrafts {
  readonly #thread: RolloutThread
  readonly #fileTime: () => number | null
  #lastAt: number | null = null
  #isNamed = false

  constructor(thread: RolloutThread, fileTime: () => number | null) {
    this.#thread = thread
    this.#fileTime = fileTime
  }

  base(at: number | null, owner: LineOwner, project: string | null): DraftBase {
    this.#lastAt = at ?? this.#lastAt
    const { sessionId, agentId, forkedFrom, threadId } = this.#thread
    const bornAt = timeOfUuid(threadId)
    const time = this.#lastAt ?? (bornAt === null ? null : plausibleTime(bornAt)) ?? this.#fileTime() ?? 0
    const parent = forkedFrom === null ? null : codexId(forkedFrom)
    return {
      source: 'transcript',
      session_id: sessionId,
      agent_id: owner === 'parent' ? (parent === sessionId ? null : parent) : agentId,
      ts_wall: isoTime(time),
      ts_monotonic: null,
      project: project ?? this.#thread.project,
      ...(owner === 'copy' && parent !== null ? { copied_from: parent } : {}),
    }
  }

  /** Names the client in the thread's own first draft, and the start of the thread if that was earlier. */
  named(drafts: readonly AnyDraft[]): AnyDraft[] {
    const at = this.#isNamed
      ? -1
      : drafts.findIndex((draft) => draft.copied_from === undefined && !draft.only_as_sighting)
    const first = drafts[at]
    if (first === undefined) return [...drafts]
    this.#isNamed = true
    const { version, agentId, forkedFrom } = this.#thread
    const startedAt = Date.parse(this.#thread.startedAt ?? '')
    const began = agentId === null && plausibleTime(startedAt) !== null && startedAt < Date.parse(first.ts_wall)
    const sighting = {
      ...first.sighting,
      client: CODEX,
      ...(version === null ? {} : { client_version: version }),
      ...(began ? { session_began: isoTime(startedAt) } : {}),
      ...(agentId === null && forkedFrom !== null ? { continues: { session: codexId(forkedFrom), by: 'fork' } } : {}),
    }
    return drafts.with(at, { ...first, sighting })
  }

  unknown(base: DraftBase, line: UnknownLine): AnyDraft {
    const { version } = this.#thread
    const { what, raw, text, key } = line
    return {
      ...base,
      kind: 'unknown',
      payload: {
        what: firstCharacters(what, 200),
        raw: text.length > MAX_RAW_CHARACTERS ? firstCharacters(text, MAX_RAW_CHARACTERS) : raw,
        ...(version === null ? {} : { client_version: version }),
      },
      keys: [key],
      parents: [],
    }
  }
}

/** Identifies a line by its content, which includes its time: a moved or copied file has the same lines. */
export const lineKey = (text: string): string =>
  `codex-line:${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
