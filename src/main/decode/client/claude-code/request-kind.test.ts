import { describe, expect, test } from 'vitest'
import type { AnyDraft } from '../../draft.ts'
import { recordedRun } from '../../fixtures/recorded-runs.ts'
import { replayWire } from '../../fixtures/replay.ts'
import { decodedRequest, labelledRequests } from '../../fixtures/requests.ts'

const prompts = (drafts: readonly AnyDraft[]) =>
  drafts.flatMap((draft) => (draft.kind === 'user_prompt' ? [draft.payload.text] : []))

describe('labelled requests', () => {
  test.each(labelledRequests)('$label', (request) => {
    const decoded = decodedRequest(request)
    expect(decoded.requestKind).toBe(request.kind)
    expect(prompts(decoded.drafts)).toEqual(request.prompts)
    expect(decoded.tail).toEqual(request.tail ?? (request.prompts.length > 0 ? ['exchange:e1:prompt:0'] : []))
    // `decodedRequest` sends the header of session s1, unless the body names a session or the program is another
    // client.
    const session = request.session ?? (request.foreign ? /^unnamed-/ : /^s1$/)
    expect(decoded.identity.sessionId).toMatch(session)
    expect(decoded.drafts.filter(({ kind }) => kind === 'model_request')).toHaveLength(1)
  })

  const captured: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    [
      'resume-compact',
      ['prompt', 'loop', 'prompt', 'compaction', 'prompt'],
      [
        'Say hello with zebra stripes.',
        'And now again, resumed.',
        '/compact focus on zebras',
        'What did we talk about?',
      ],
    ],
    ['calls', ['prompt', 'loop', 'loop', 'loop'], ['Do many things.']],
    ['agents', ['prompt', 'subagent', 'subagent', 'subagent', 'subagent', 'subagent', 'loop'], ['Use agents.']],
    [
      'background-agent',
      ['prompt', 'subagent', 'loop', 'subagent', 'subagent', 'subagent', 'loop'],
      ['Use a background agent.'],
    ],
    ['queued', ['prompt', 'prompt', 'prompt'], ['Sleep a while.', 'And also do this, queued.', 'A third one.']],
    ['queued-small', ['prompt', 'prompt'], ['Sleep a while, small.', 'And also this, queued small.']],
    ['tasks', ['prompt', 'loop', 'loop', 'loop', 'loop', 'loop'], ['Make tasks.']],
    ['slash', ['prompt'], ['/hello big world']],
    ['image', ['prompt'], ['What is this?']],
    ['cut', ['prompt', 'loop'], ['Cut in the middle.']],
    ['retry', ['prompt', 'prompt'], ['Try it again when busy.']],
    ['failed', ['prompt', 'prompt'], ['First try.', 'Second try.']],
    ['hello', ['prompt'], ['hello']],
    ['structured', ['prompt', 'loop'], ['Answer as JSON.']],
    [
      'typed',
      ['prompt', 'prompt', 'prompt', 'prompt', 'prompt'],
      [
        `Explain this: ${Array.from({ length: 25 }, (_, n) => `line ${n} of a log: value=${n * 7}`).join('\n')} Thanks.`,
        'Sleep a little.',
        'And this meanwhile.',
        '!echo shell words',
        'What did it print?',
      ],
    ],
    ['no-tools', ['prompt'], ['Say it without tools.']],
  ]
  test("most are the client's own", () => {
    const own = labelledRequests.filter(({ from }) => from.startsWith('Claude Code')).length
    const replayed = captured.reduce((sum, [, kinds]) => sum + kinds.length, 0)
    expect(own + replayed).toBeGreaterThan(labelledRequests.length - own)
  })

  test.each(captured)('captured from the client: %s', (name, kinds, said) => {
    const replayed = replayWire(recordedRun(name))
    expect(replayed.kinds).toEqual(kinds)
    expect(prompts(replayed.drafts)).toEqual(said)
  })
})
