import { firstCharacters } from '../../../../shared/cut-text.ts'
import { clientOfSighting } from '../../../decode/client/client-of-event.ts'
import type { AnyDraft } from '../../../decode/draft.ts'
import type { AnyEvent, JsonObject } from '../../../../shared/event.ts'
import type { Redactor } from '../../../redaction/redactor.ts'
import { isPreviewed, type PreviewDraft, type PreviewedSession } from '../../../store/preview/previewed-file.ts'
import { learnClient } from '../../../store/projections/session-client.ts'
import { branchOf, learnOwner, newRow } from '../../../store/projections/session-facts.ts'
import type { SessionRow } from '../../../store/projections/session-row.ts'
import { isLesserTitle, learnTitle, PROMPT_RANK } from '../../../store/projections/session-title.ts'

/** A title is in the beginning of a text. Enough follows for a secret in it to be recognized. */
const TITLE_CHARACTERS = 8000
const MAX_CLEANED = 1000

/** Collects the figures of one file: its drafts without texts, and their facts about sessions. */
export class FileFigures {
  readonly #redactor: Redactor
  readonly #rows = new Map<string, SessionRow>()
  /** Prompts of the queue that no line has repeated, or that only a line has, by text. */
  readonly #queued = new Map<string, number>()
  /** Names of projects, models and so on, which nearly all lines repeat. */
  readonly #cleaned = new Map<string, string>()
  #events = 0
  #drafts: PreviewDraft[] = []

  constructor(redactor: Redactor) {
    this.#redactor = redactor
  }

  /** Drafts since the last `takeDrafts`. */
  get size(): number {
    return this.#drafts.length
  }

  readonly #clean = (text: string): string => {
    const known = this.#cleaned.get(text)
    if (known !== undefined) return known
    const cleaned = this.#redactor.text(text)
    if (this.#cleaned.size < MAX_CLEANED) this.#cleaned.set(text, cleaned)
    return cleaned
  }

  take(draft: AnyDraft): void {
    // Times of files are in no time range.
    if (draft.only_as_sighting === true || draft.sighting?.['time_basis'] === 'file') return
    if (draft.kind === 'user_prompt' && this.#isRepeated(draft)) return
    if (draft.copied_from === undefined) this.#learn(draft)
    if (isPreviewed(draft) && draft.keys.length > 0) this.#drafts.push(withoutTexts(draft, this.#clean))
  }

  takeDrafts(): readonly PreviewDraft[] {
    const drafts = this.#drafts
    this.#drafts = []
    return drafts
  }

  sessions(): readonly PreviewedSession[] {
    const clean = (text: string | null) => (text === null ? null : this.#clean(text))
    return [...this.#rows.values()].map((row) => ({
      session_id: row.id,
      project: clean(row.project),
      git_branch: clean(row.git_branch),
      title: row.title,
      title_rank: row.title_rank,
      title_at: row.title_at,
      started_at: row.started_at,
      last_event_at: row.last_event_at,
      client: row.client,
      client_version: clean(row.client_version),
    }))
  }

  /** The queue and a later line both report a prompt that was typed while the model worked. */
  #isRepeated(draft: AnyDraft): boolean {
    const { text_identity: identity } = draft
    if (identity === undefined || identity.within_ms !== null) return false
    const sign = draft.keys[0]?.startsWith('queued:') === true ? 1 : -1
    const open = this.#queued.get(identity.text) ?? 0
    this.#queued.set(identity.text, open + sign)
    return open * sign < 0
  }

  #learn(draft: AnyDraft): void {
    this.#events += 1
    const event = { ...draft, id: this.#events, turn_id: 0 } as unknown as AnyEvent
    const row = this.#rows.get(draft.session_id) ?? newRow(event)
    this.#rows.set(draft.session_id, row)
    if (draft.ts_wall < row.started_at) row.started_at = draft.ts_wall
    if (draft.ts_wall > row.last_event_at) row.last_event_at = draft.ts_wall
    learnOwner(row, this.#events, null, draft.project ?? null, branchOf(event))
    learnClient(
      row,
      clientOfSighting(draft.source, (draft.sighting ?? null) as JsonObject | null, draft.session_id),
      draft.ts_wall,
    )
    if (draft.kind === 'state_change' || (draft.kind === 'user_prompt' && needsTitle(row))) {
      const payload = this.#redactor.json<JsonObject>(beginningOf(draft))
      learnTitle(row, { ...event, payload } as unknown as AnyEvent)
    }
  }
}

/** A later prompt gives a title only while there are only commands. */
const needsTitle = (row: SessionRow): boolean =>
  row.title_rank <= PROMPT_RANK && (row.title === null || isLesserTitle(row.title))

function beginningOf(draft: Extract<AnyDraft, { kind: 'state_change' | 'user_prompt' }>): JsonObject {
  if (draft.kind === 'user_prompt') return { text: firstCharacters(draft.payload.text, TITLE_CHARACTERS) }
  const { name, to } = draft.payload
  return { name, to: typeof to === 'string' ? firstCharacters(to, TITLE_CHARACTERS) : null }
}

/** Leaves out fields that a preview does not hold. `clean` redacts a short text. */
function withoutTexts(draft: PreviewDraft, clean: (text: string) => string): PreviewDraft {
  const { kind, source, session_id, agent_id, ts_wall, project, keys, copied_from } = draft
  const cleaned = (text: string | null) => (text === null ? null : clean(text))
  const base = {
    source,
    session_id,
    agent_id,
    ts_wall,
    ts_monotonic: null,
    keys,
    parents: [],
    ...(project == null ? {} : { project: clean(project) }),
    ...(copied_from === undefined ? {} : { copied_from }),
  }
  switch (kind) {
    case 'api_usage': {
      const { message_id, model, usage, request_kind, basis } = draft.payload
      const { service_tier, speed, inference_geo } = usage
      const names = {
        service_tier: cleaned(service_tier),
        speed: cleaned(speed),
        inference_geo: cleaned(inference_geo),
      }
      const payload = {
        message_id,
        model: clean(model),
        usage: { ...usage, ...names },
        request_kind,
        basis,
        ttft_ms: null,
      }
      return { ...base, kind, payload }
    }
    case 'user_prompt':
      return { ...base, kind, payload: { text: '' } }
    case 'compaction':
      return { ...base, kind, payload: { ...draft.payload, summary: '' } }
    case 'agent_started': {
      const agent_type = cleaned(draft.payload.agent_type)
      return { ...base, kind, payload: { ...draft.payload, agent_type } }
    }
  }
}
