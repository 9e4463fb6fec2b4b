import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startApp } from '../support/app/start-app.ts'
import { recordedEvents, settled } from '../support/app/recorded-session.ts'
import { findClaude } from '../support/client/claude-client.ts'
import { answerFirstQuestions, installHooks, startTyping, transcriptsBelow } from '../support/client/claude-typing.ts'
import { few } from '../support/runner/heavy.ts'
import { lacks } from '../support/runner/lacks.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { lastUserText, startMessagesUpstream } from '../support/upstream/messages-upstream.ts'

const ESCAPE = '\u001B'
const UP = '\u001B[A'
const CLEAR_LINE = '\u0015'

test.skipIf(lacks(findClaude() !== null))(
  'an answer that is stopped, a rewind to behind it and a /compact that is stopped, typed in a terminal',
  async () => {
    using home = makeTempFolder('aspy-client-')
    await using upstream = await startMessagesUpstream(({ body }) => {
      const last = lastUserText(body)
      if (last.includes('CRITICAL: Respond with TEXT ONLY'))
        return { steps: [{ text: '<summary>Half of' }, { hold: 'summary' }] }
      if (last.includes('Second')) return { steps: [{ text: 'I begin to' }, { hold: 'answer' }] }
      return { steps: [{ text: `You said: ${last.split('\n').at(-1)}` }] }
    })
    await using app = await startApp({ upstream: upstream.url })
    answerFirstQuestions(home.path)
    await using client = startTyping(home.path, app.proxy)
    await client.says('First')
    await client.says('Second', 'begin')
    await client.press(ESCAPE, 'Interrupted')
    await client.says('Third')
    await client.press(ESCAPE)
    await client.press(ESCAPE, 'Rewind')
    await client.press(UP)
    await client.press('\r', 'Restore')
    await client.press('\r')
    await client.says(' again', 'Third again')
    await client.says('/compact', 'Compacting')
    await upstream.held('summary')
    await client.press(ESCAPE)
    await settled(app)

    const told = async () => {
      const events = await recordedEvents(app)
      const of = (kind: string) => events.filter((event) => event.kind === kind)
      return {
        prompts: of('user_prompt').map(({ payload }) => payload['text']),
        interruptions: of('state_change').filter(({ payload }) => payload['name'] === 'interrupted').length,
        compactions: of('compaction').length,
        ends: of('turn_ended').length,
        answers: of('api_usage').length,
        unknown: of('unknown').length,
      }
    }
    const live = await told()
    expect(live).toEqual({
      prompts: ['First', 'Second', 'Third', 'Third again'],
      interruptions: 1,
      compactions: 0,
      ends: 4,
      answers: 5,
      unknown: 0,
    })
    await app.run('transcripts.import', { paths: transcriptsBelow(home.path) })
    expect(await told()).toEqual(live)
  },
)

test.skipIf(lacks(findClaude() !== null)).each(few([['with hooks'], ['without hooks']], 1))(
  'turns that nothing ends but the next prompt: a thought that is stopped, a call with a prompt queued behind it, %s',
  async (setup) => {
    using home = makeTempFolder('aspy-client-')
    await using upstream = await startMessagesUpstream(({ body }) => {
      const last = lastUserText(body)
      if (last.includes('Think')) return { steps: [{ thinking: 'I wonder.' }, { hold: 'thought' }] }
      if (last.includes('Call') && !JSON.stringify(body?.messages).includes('tool_result'))
        return { steps: [{ text: 'I wait.' }, { tool: 'Bash', input: { command: 'sleep 5', description: 'wait' } }] }
      return { steps: [{ text: `You said: ${last.split('\n').at(-1)}` }] }
    })
    await using app = await startApp({ upstream: upstream.url })
    answerFirstQuestions(home.path)
    if (setup === 'with hooks') installHooks(home.path, app)
    await using client = startTyping(home.path, app.proxy)
    await client.says('First')
    await client.press('Think')
    await client.press('\r')
    await upstream.held('thought')
    await client.press(ESCAPE)
    // The client puts the prompt back into its line.
    await pause(2500)
    await client.press(CLEAR_LINE)
    await client.says('Call', 'I wait.')
    await client.press('Queued')
    await client.press('\r', 'You said:')
    await client.says('Third')
    await settled(app)
    const ends = async () => {
      const events = await recordedEvents(app, "kind IN ('user_prompt', 'turn_ended')")
      const prompts = events.filter(({ kind }) => kind === 'user_prompt')
      return prompts.map(({ turn_id: turn, payload }) => [
        payload['text'],
        ...events
          .filter(({ kind, turn_id: of }) => kind === 'turn_ended' && of === turn)
          .map((end) => end.payload['reason']),
      ])
    }
    const live = [
      ['First', 'end_turn'],
      ['Think', 'cut'],
      ['Call', 'next_prompt'],
      ['Queued', 'end_turn'],
      ['Third', 'end_turn'],
    ]
    expect(await ends()).toEqual(live)
    await app.run('transcripts.import', { paths: transcriptsBelow(home.path) })
    expect(await ends()).toEqual(live)
  },
)
