import { describe, expect, test } from 'vitest'
import type { AnyEvent, EventSource, JsonObject } from '../../../shared/event.ts'
import { settled } from './settled.ts'

interface Given {
  readonly source?: EventSource
  readonly payload: JsonObject
  readonly duration_ms?: number | null
  readonly success?: boolean | null
  readonly error_message?: string | null
}

/** An event of the session `s`. */
function event(kind: AnyEvent['kind'], { payload, source = 'wire', ...rest }: Given) {
  return { kind, source, session_id: 's', duration_ms: null, success: null, error_message: null, payload, ...rest }
}

const sighting = (source: EventSource, payload: JsonObject | null, session = 's') => ({
  source,
  session_id: session,
  payload,
})

describe('a prompt', () => {
  const wire = event('user_prompt', { payload: { text: 'as sent' } })

  test('has the words of the transcript, whatever came first', () => {
    const fromHook = [sighting('hook', { text: 'as hooked' }), sighting('transcript', { text: 'as typed' })]
    for (const sightings of [fromHook, fromHook.toReversed()])
      expect(settled(wire, sightings).payload).toEqual({ text: 'as typed' })
    expect(settled(wire, [sighting('hook', { text: 'as hooked' })]).payload).toEqual({ text: 'as hooked' })
    const line = event('user_prompt', { source: 'transcript', payload: { text: 'as typed' } })
    expect(settled(line, [sighting('wire', { text: 'as sent' })]).payload).toEqual({ text: 'as typed' })
  })

  test('gains what other sources know', () => {
    const more = [
      sighting('hook', { prompt_id: 'p1' }),
      sighting('transcript', { git_branch: 'main', prompt_id: 'p1' }),
    ]
    expect(settled(wire, more).payload).toEqual({ text: 'as sent', prompt_id: 'p1', git_branch: 'main' })
  })

  test('is not one if a source knows that the client wrote it', () => {
    expect(settled(wire, [sighting('transcript', { not_a_prompt: true })]).payload).toMatchObject({
      not_a_prompt: true,
    })
    expect(settled(wire, [sighting('transcript', { not_a_prompt: false })]).payload).toEqual({ text: 'as sent' })
  })

  test('that a history showed was seen, once another source reports it', () => {
    const shown = event('user_prompt', { payload: { text: 'as sent', seen_in_history: true } })
    expect(settled(shown, [sighting('wire', {})]).payload).toEqual({ text: 'as sent', seen_in_history: true })
    expect(settled(shown, [sighting('hook', {})]).payload).toEqual({ text: 'as sent' })
  })
})

test('the end of a turn has the reason that a source knows, before one that was assumed from what followed', () => {
  for (const [own, of, other, by] of [
    ['cut', 'wire', 'interrupted', 'transcript'],
    ['next_prompt', 'transcript', 'cut', 'wire'],
    ['overloaded_error', 'transcript', 'failed', 'wire'],
  ] as const) {
    const expected = own === 'overloaded_error' ? own : other
    const ended = event('turn_ended', { source: of, payload: { reason: own } })
    expect(settled(ended, [sighting(by, { reason: other })]).payload).toEqual({ reason: expected })
    const reversed = event('turn_ended', { source: by, payload: { reason: other } })
    expect(settled(reversed, [sighting(of, { reason: own })]).payload).toEqual({ reason: expected })
  }
})

test("a sighting in a fork's copy changes nothing", () => {
  const original = event('user_prompt', { payload: { text: 'as sent' } })
  expect(settled(original, [sighting('transcript', { text: 'of the fork' }, 'fork')])).toBe(original)
  expect(settled(original, [])).toBe(original)
})

test.each([undefined, null, '', 'unknown', '<persisted-output>\nOutput too large'])(
  '%j says nothing: another source has the value',
  (empty) => {
    const hook = { output: 'from the hook' }
    const payload: JsonObject = empty === undefined ? {} : { output: empty }
    expect(settled(event('tool_result', { payload }), [sighting('hook', hook)]).payload).toMatchObject(hook)
  },
)

describe("a tool's result", () => {
  test('is what was sent; a source without a field agrees', () => {
    const line = event('tool_result', { source: 'transcript', payload: { output: 'of the client', is_error: true } })
    expect(settled(line, [sighting('wire', { output: 'as sent' })]).payload).toEqual({
      output: 'as sent',
      is_error: true,
    })
    expect(settled(line, [sighting('hook', { output: 'of the hook' })]).payload).toMatchObject({
      output: 'of the client',
    })
    // The wire had recorded it, without contradicting.
    expect(settled(line, [sighting('wire', {}), sighting('hook', { output: 'of the hook' })]).payload).toMatchObject({
      output: 'of the client',
    })
  })

  test('keeps the detail that the client knows first-hand', () => {
    const wire = event('tool_result', { payload: { output: 'x', detail: { lines: 1 } } })
    expect(settled(wire, [sighting('transcript', { detail: { lines: 2 } })]).payload).toMatchObject({
      detail: { lines: 2 },
    })
  })

  test('fails if the best source says so, with the first message', () => {
    const wire = event('tool_result', { payload: { output: 'x' }, success: true })
    const failure = { is_error: true, error_message: 'not found' }
    expect(
      settled(wire, [sighting('hook', failure), sighting('transcript', { error_message: 'later' })]),
    ).toMatchObject({
      success: false,
      error_message: 'not found',
    })
    const own = event('tool_result', { payload: { is_error: true }, success: false, error_message: 'its own' })
    expect(settled(own, [sighting('hook', failure)]).error_message).toBe('its own')
    const taken = event('tool_result', {
      source: 'hook',
      payload: { is_error: true },
      success: false,
      error_message: 'hm',
    })
    expect(settled(taken, [sighting('wire', { is_error: false })])).toMatchObject({
      success: true,
      error_message: null,
    })
    const unknown = event('tool_result', { payload: {} })
    expect(settled(unknown, [sighting('hook', {})]).success).toBeNull()
  })

  test('took as long as the hook measured, else as long as the first source says', () => {
    const wire = event('tool_result', { payload: {}, duration_ms: 40 })
    expect(settled(wire, [sighting('transcript', { duration_ms: 30 })]).duration_ms).toBe(40)
    expect(settled(wire, [sighting('hook', { duration_ms: 12 })]).duration_ms).toBe(12)
    const unmeasured = event('tool_result', { payload: {} })
    expect(settled(unmeasured, [sighting('wire', {}), sighting('transcript', { duration_ms: 30 })]).duration_ms).toBe(
      30,
    )
    expect(settled(unmeasured, [sighting('wire', { duration_ms: '3' })]).duration_ms).toBeNull()
  })
})

test('a kind that is never settled stays the same object', () => {
  const request = event('model_request', { payload: { model: 'one' } })
  expect(settled(request, [sighting('transcript', { model: 'two' })])).toBe(request)
})
