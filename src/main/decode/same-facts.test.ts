import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../shared/event.ts'
import type { AnyDraft } from './draft.ts'
import { recordedRun, recordedRuns } from './fixtures/recorded-runs.ts'
import { replayHooks, replayTranscripts, replayWire } from './fixtures/replay.ts'

/** Wire, hooks and transcripts of the same run of the real client (2.1.330) report the same facts. */

const runs = recordedRuns()

const SHARED = new Set([
  'user_prompt',
  'thinking',
  'assistant_text',
  'tool_call',
  'tool_result',
  'api_usage',
  'turn_ended',
  'agent_started',
  'agent_ended',
  'task_update',
  'compaction',
])
/** Facts that only one of the two sources has. */
const DIFFERS = [
  'prompt_id',
  'git_branch',
  'detail',
  'basis',
  'ttft_ms',
  'request_kind',
  'agent_type',
  'usage',
  'trigger',
  'ends_session',
]
const SIZES = ['tokens_before', 'tokens_after']

/** A name for the fact that both sources can provide: its natural key, else its text. */
function factOf(draft: AnyDraft): string {
  const named = draft.keys.filter((key) => !/^(?:line|exchange):/.test(key))
  const compaction = named.find((key) => key.startsWith('compaction:'))
  return compaction ?? named[0] ?? `${draft.kind}: ${draft.text_identity?.text ?? ''}`
}

function facts(drafts: readonly AnyDraft[]): Map<string, JsonObject> {
  const byKey = new Map<string, AnyDraft>()
  for (const draft of drafts) for (const key of draft.keys) if (!byKey.has(key)) byKey.set(key, draft)
  const found = new Map<string, JsonObject>()
  for (const draft of drafts) {
    const name = factOf(draft)
    if (!SHARED.has(draft.kind) || draft.only_as_sighting || found.has(name)) continue
    const parent = draft.parents.map((key) => byKey.get(key)).find((known) => known !== undefined)
    const payload = Object.fromEntries(
      Object.entries(draft.payload as JsonObject).filter(([key]) => !DIFFERS.includes(key) && !SIZES.includes(key)),
    )
    found.set(name, {
      kind: draft.kind,
      agent: draft.agent_id,
      session: draft.session_id,
      project: draft.project ?? null,
      // A request does not show what triggered its summary; a hook does.
      parent: parent && draft.kind !== 'compaction' ? factOf(parent) : null,
      payload: withoutClientDefaults(payload),
    })
  }
  return found
}

/** The client writes the defaults of a tool's input into the transcript (allowed: seen for Edit's `replace_all`). */
function withoutClientDefaults(payload: JsonObject): Json {
  const { input } = payload
  if (payload['tool_name'] !== 'Edit' || typeof input !== 'object' || input === null) return payload
  const { replace_all: _, ...rest } = input as JsonObject
  return { ...payload, input: rest }
}

/** Facts that one of the sources cannot have. */
const ONLY_WIRE: { readonly [run: string]: readonly RegExp[] } = {
  // The summary's own cost has no line; its text is in the summary line.
  'resume-compact': [/^usage:msg_c/],
  // A fork's history is shown by its first request; the transcript copies it under its own ids.
  cut: [/^block:msg_x0007:1$/, /^usage:/],
}
const ONLY_TRANSCRIPT: { readonly [run: string]: readonly RegExp[] } = {
  cut: [/^usage:/],
  // Shown by the client if the model did not answer; its hook reports the same.
  failed: [/^turn_ended: Invalid API key/],
}

describe('wire and transcript', () => {
  test.each(runs.filter(({ name }) => name !== 'fork'))('tell the same facts: $name', ({ name, run }) => {
    const wire = facts(replayWire(run).drafts)
    const transcript = facts(replayTranscripts(run))
    for (const fact of wire.keys()) if (ONLY_WIRE[name]?.some((allowed) => allowed.test(fact))) wire.delete(fact)
    for (const fact of transcript.keys())
      if (ONLY_TRANSCRIPT[name]?.some((allowed) => allowed.test(fact))) transcript.delete(fact)
    expect(Object.fromEntries(transcript)).toEqual(Object.fromEntries(wire))
    expect(wire.size).toBeGreaterThan(2)
  })
})

describe('hooks', () => {
  test.each(runs)('know no fact that the transcript does not: $file', ({ run }) => {
    const transcript = new Set(facts(replayTranscripts(run)).keys())
    const texts = (drafts: readonly AnyDraft[], kind: string) =>
      drafts.filter((draft) => draft.kind === kind).map((draft) => draft.text_identity?.text)
    const hooks = replayHooks(run)
    const keyed = hooks.flatMap((draft) => (draft.keys.length > 0 && SHARED.has(draft.kind) ? [factOf(draft)] : []))
    expect(keyed.filter((name) => !transcript.has(name))).toEqual([])
    // Local commands (/compact) run no UserPromptSubmit hook.
    const prompts = texts(replayTranscripts(run), 'user_prompt')
    expect(texts(hooks, 'user_prompt').filter((text) => !prompts.includes(text))).toEqual([])
  })

  test('a task notification is not a prompt', () => {
    const run = recordedRun('background-agent')
    const submitted = run.hooks.filter(({ body }) => body['hook_event_name'] === 'UserPromptSubmit')
    expect(submitted).toHaveLength(2)
    const drafts = replayHooks(run)
    expect(drafts.filter(({ kind }) => kind === 'user_prompt')).toHaveLength(1)
    expect(drafts.some((draft) => draft.kind === 'notification' && draft.payload.text === 'Agent "sub" finished')).toBe(
      true,
    )
  })

  test('durations come with the results', () => {
    const results = replayHooks(recordedRun('calls')).filter(({ kind }) => kind === 'tool_result')
    expect(results.length).toBeGreaterThan(2)
    for (const result of results) expect(result.duration_ms).toBeGreaterThan(0)
  })
})

describe('a fork', () => {
  test('shows its history once, marked, costing nothing', () => {
    const run = recordedRun('fork')
    const { drafts } = replayWire(run)
    const prompts = drafts.filter((draft) => draft.kind === 'user_prompt')
    expect(prompts.map((draft) => [draft.payload.text, draft.payload.seen_in_history ?? false])).toEqual([
      ['/compact focus on zebras', true],
      ['What did we talk about?', true],
      ['A fork of it.', false],
    ])
    expect(drafts.filter(({ kind }) => kind === 'api_usage')).toHaveLength(1)
    expect(drafts.filter((draft) => draft.kind === 'assistant_text' && draft.payload.seen_in_history)).toHaveLength(2)
  })

  test('copies lines under the ids that they had', () => {
    const original = replayTranscripts(recordedRun('resume-compact')).flatMap(({ keys }) => keys)
    const copied = replayTranscripts(recordedRun('fork')).filter(({ kind }) => SHARED.has(kind))
    const known = copied.filter(({ keys }) => keys.some((key) => original.includes(key)))
    expect(known.map(({ kind }) => kind)).toContain('user_prompt')
    expect(copied.length - known.length).toBe(4)
  })
})
